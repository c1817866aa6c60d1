import { useState } from "preact/hooks";
import { DarkIcon, LightIcon, SystemIcon } from "./icons";

type Theme = "system" | "light" | "dark";

const key = "rollcall:admin:theme";
const next = { system: "light", light: "dark", dark: "system" } as const;
const icons = { system: SystemIcon, light: LightIcon, dark: DarkIcon } as const;

function kept(): Theme {
  try {
    const value = localStorage.getItem(key);
    return value === "light" || value === "dark" ? value : "system";
  } catch {
    return "system"; // a browser whose sites may store nothing
  }
}

function keep(chosen: Theme): void {
  try {
    if (chosen === "system") localStorage.removeItem(key);
    else localStorage.setItem(key, chosen);
  } catch {
    // it lasts as long as the page
  }
}

function apply(chosen: Theme): void {
  if (chosen === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = chosen;
}

/** Puts on the theme that was chosen the last time. */
export function restoreTheme(): void {
  apply(kept());
}

/** Changes between the system's theme, light and dark. */
export function ThemeSwitch() {
  const [theme, setTheme] = useState(kept);
  const Icon = icons[theme];
  const change = () => {
    const chosen = next[theme];
    keep(chosen);
    apply(chosen);
    setTheme(chosen);
  };
  const label = `Theme: ${theme}`;
  return (
    <button type="button" class="button plain square" aria-label={label} title={label} onClick={change}>
      <Icon />
    </button>
  );
}
