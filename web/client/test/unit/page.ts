// A page with the library in it: what it hears, against a fake server in a fake browser.
import { vi } from "vitest";
import { createPresence, type Presence, type PresenceOptions } from "../../src/index.js";
import type { FakeTab } from "./browser.js";
import type { FakeServer } from "./server.js";

export const connect = (server: FakeServer, tab: FakeTab) => ({
  url: "http://rollcall/graphql",
  token: "dev:ada",
  webSocketImpl: server.WebSocket,
  fetch: server.fetch,
  platform: tab,
});

/** A presence in a tab, and the names of what it told. */
export function present(
  server: FakeServer,
  tab: FakeTab,
  options: Partial<PresenceOptions> = {},
): Presence & { told: string[] } {
  const presence = createPresence({ ...connect(server, tab), ...options });
  const told: string[] = [];
  presence.on("online", () => told.push("online"));
  presence.on("offline", ({ reason }) => told.push(`offline: ${reason}`));
  presence.on("replaced", () => told.push("replaced"));
  presence.on("error", ({ code }) => told.push(`error: ${code}`));
  return Object.defineProperties({ told }, Object.getOwnPropertyDescriptors(presence)) as Presence & { told: string[] };
}

export const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1_000);

/** The machine sleeps: the clock goes on, and no timer does. */
export const sleep = (seconds: number) => void vi.setSystemTime(Date.now() + seconds * 1_000);
