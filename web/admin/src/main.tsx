import { render } from "preact";
import "./style/tokens.css";
import "./style/base.css";
import "./style/controls.css";
import "./style/shell.css";
import "./style/overview.css";
import "./style/list.css";
import "./style/events.css";
import "./style/user.css";
import { connect } from "./api/client";
import { readSettings } from "./settings";
import { App } from "./shell/app";
import { restoreTheme } from "./ui/theme";

restoreTheme();
const root = document.getElementById("root");
if (root) render(<App settings={readSettings(document)} connect={connect} />, root);
