import { signal } from "@preact/signals";
import { DarkIcon, LightIcon, SystemIcon } from "./icons";

type Theme = "system" | "light" | "dark";

const key = "rollcall:admin:theme";
const next = { system: "light", light: "dark", dark: "system" } as const;
const icons = { system: SystemIcon, light: LightIcon, dark: DarkIcon } as const;

function kept(): Theme {
  const value = localStorage.getItem(key);
  return value === "light" || value === "dark" ? value : "system";
}

const theme = signal<Theme>(kept());

function apply(chosen: Theme): void {
  if (chosen === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = chosen;
}

/** Puts on the theme that was chosen the last time. */
export function restoreTheme(): void {
  apply(theme.value);
}

/** Changes between the system's theme, light and dark. */
export function ThemeSwitch() {
  const Icon = icons[theme.value];
  const change = () => {
    theme.value = next[theme.value];
    if (theme.value === "system") localStorage.removeItem(key);
    else localStorage.setItem(key, theme.value);
    apply(theme.value);
  };
  const label = `Theme: ${theme.value}`;
  return (
    <button type="button" class="button plain square" aria-label={label} title={label} onClick={change}>
      <Icon />
    </button>
  );
}
