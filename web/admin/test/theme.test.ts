import { afterEach, expect, test, vi } from "vitest";
import { restoreTheme } from "../src/ui/theme";

afterEach(() => void vi.unstubAllGlobals());

function restored(storage: () => { getItem(): string | null }) {
  const root = { dataset: {} as Record<string, string> };
  vi.stubGlobal("document", { documentElement: root });
  Object.defineProperty(globalThis, "localStorage", { get: storage, configurable: true });
  restoreTheme();
  return root.dataset["theme"];
}

test("the theme that was chosen is put on again, and nothing that is none", () => {
  expect(restored(() => ({ getItem: () => "dark" }))).toBe("dark");
  expect(restored(() => ({ getItem: () => "pink" }))).toBeUndefined();
  expect(restored(() => ({ getItem: () => null }))).toBeUndefined();
});

test("a browser whose sites may store nothing shows the console all the same", () => {
  const refuse = () => {
    throw new DOMException("no", "SecurityError");
  };
  expect(restored(refuse)).toBeUndefined();
});
