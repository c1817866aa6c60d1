import { GraphiQL } from "graphiql";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "graphiql/style.css";
import "./page.css";
import { createFetcher } from "./fetcher";
import { readSettings } from "./settings";
import { prefixedStorage } from "./storage";
import { exampleTabs, headersFor } from "./tabs";
import { setUpWorkers } from "./workers";

const settings = readSettings(document);
const fetcher = createFetcher(new URL("/graphql", location.href));
// GraphiQL keeps tabs and history with their headers. Dev tokens are no secret; a real token goes with the tab.
const store = settings.auth === "dev" ? localStorage : sessionStorage;

setUpWorkers();
createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <GraphiQL
      fetcher={fetcher}
      storage={prefixedStorage(store, "rollcall:")}
      defaultTabs={exampleTabs(settings.auth)}
      defaultHeaders={headersFor(settings.auth, "dev:alice")}
      defaultEditorToolsVisibility="headers"
      shouldPersistHeaders // each example has a token of its own, over a reload too
    >
      <GraphiQL.Logo>Rollcall</GraphiQL.Logo>
    </GraphiQL>
  </StrictMode>,
);
