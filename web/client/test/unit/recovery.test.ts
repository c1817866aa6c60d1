// A server that comes back is not stormed by those who wait for it.
import { afterEach, expect, test, vi } from "vitest";
import { createClient } from "../../src/index.js";
import { FakeBrowser } from "./browser.js";
import { FakeServer } from "./server.js";
import { Timers } from "./timers.js";

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

test.each([
  [5_000, "auto"],
  [1_000, "sse"],
] as const)(
  "%i clients (%s), and a server that is back after 20 s: no second has more than 3 times the mean",
  { timeout: 120_000 },
  async (clients, transport) => {
    const timers = new Timers();
    timers.install();
    // Always the same numbers, so that the counts are the same in each run.
    let seed = 1;
    vi.spyOn(Math, "random").mockImplementation(() => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647);

    const server = new FakeServer();
    server.operations.set("presenceChanged", (_, sink) => {
      sink.next({ data: { presenceChanged: { cursor: "1", reset: false, events: [] } } });
      return () => {};
    });
    const tab = new FakeBrowser().open();
    const crowd = Array.from({ length: clients }, () => {
      const client = createClient({
        url: "http://rollcall/graphql",
        token: "dev:ada",
        transport,
        webSocketImpl: server.WebSocket,
        fetch: server.fetch,
        platform: tab,
      });
      client.subscribe("subscription{presenceChanged{cursor}}", {}, { next() {}, error() {}, complete() {} });
      return client;
    });
    const open = () => crowd.filter(({ state }) => state.status === "open").length;
    await timers.advance(11_000);
    expect(open()).toBe(clients);

    server.goDown();
    await timers.advance(20_000);
    server.up = true;
    const [dialled, asked] = [server.dials.length, server.requests.length];
    const back = Date.now();
    while (open() < clients) await timers.advance(1_000);

    const attempts = [...server.dials.slice(dialled), ...server.requests.slice(asked).map(({ at }) => at)];
    expect(attempts.length).toBeGreaterThanOrEqual(clients);
    const seconds = new Array<number>(Math.ceil((Date.now() - back) / 1_000)).fill(0);
    for (const at of attempts) {
      const second = Math.floor((at - back) / 1_000);
      seconds[second] = (seconds[second] ?? 0) + 1;
    }
    const mean = attempts.length / seconds.length;
    expect(Math.max(...seconds), `by the second: ${seconds.join(" ")}`).toBeLessThanOrEqual(3 * mean);
    expect(seconds.length, "the longest wait is 30 s").toBeLessThanOrEqual(31);
  },
);
