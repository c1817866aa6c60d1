// How a page stays online.
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { FakeBrowser, FakeTab } from "./browser.js";
import { connect, pass, present, sleep } from "./page.js";
import { FakeServer } from "./server.js";
import { createPresence } from "../../src/index.js";

let server: FakeServer;
let tab: FakeTab;
beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, "random").mockReturnValue(0.5);
  server = new FakeServer();
  tab = new FakeBrowser().open();
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const times = (from: number) => server.beats.map(({ at, active }) => [(at - from) / 1_000, active]);

describe("over a WebSocket", () => {
  test("no beats at all", async () => {
    const page = present(server, tab);
    await pass(600);
    expect(page.told).toEqual(["online"]);
    expect(page.state).toEqual({ status: "online" });
    expect(server.beats.map(({ via, active }) => [via, active])).toEqual([["session", true]]);
    expect(server.requests.map(({ query }) => query)).toEqual(["{me{id}}"]);
  });

  test("hidden: told at once, and again when it is seen; on the same socket and session", async () => {
    present(server, tab);
    await pass(10);
    tab.tell("hidden");
    await pass(600);
    tab.tell("visible");
    await pass(1);
    const [first, ...rest] = server.beats;
    expect(first?.session).toBeUndefined();
    expect(rest.map(({ via, active, session }) => [via, active, session])).toEqual([
      ["session", false, "session-1"],
      ["session", true, "session-1"],
    ]);
    expect(server.dials).toHaveLength(1);
  });

  test("activity is reported once a minute while there is some", async () => {
    present(server, tab);
    const from = Date.now();
    for (let second = 0; second < 185; second++) {
      tab.tell("input");
      await pass(1);
    }
    await pass(600);
    expect(times(from)).toEqual([
      [0, true],
      [60, true],
      [120, true],
      [180, true],
      [240, true],
    ]);
  });

  test("a single move is reported within a minute, and then no more", async () => {
    present(server, tab);
    const from = Date.now();
    await pass(300);
    tab.tell("input");
    await pass(600);
    expect(times(from)).toEqual([
      [0, true],
      [300, true],
    ]);
  });

  test("activity by sight: for as long as the page is seen", async () => {
    present(server, tab, { activity: "visible" });
    const from = Date.now();
    await pass(130);
    tab.tell("hidden");
    await pass(200);
    expect(times(from)).toEqual([
      [0, true],
      [60, true],
      [120, true],
      [130, false],
    ]);
  });

  test("a first beat that was never answered is sent again as active as it was", async () => {
    const active: unknown[] = [];
    const session = server.operations.get("session");
    server.operations.set("session", (variables, sink) => {
      active.push((variables.input as { active: boolean }).active);
      if (active.length > 1) return session?.(variables, sink);
      queueMicrotask(() => [...server.sockets].forEach((socket) => socket.drop(1012)));
      return () => {};
    });
    const page = present(server, tab);
    await pass(5);
    expect(page.state).toEqual({ status: "online" });
    expect(active).toEqual([true, true]);
  });

  test("a lost connection is told, and the session goes on over the next", async () => {
    const page = present(server, tab);
    await pass(20);
    server.goDown();
    await pass(0);
    expect(page.state).toEqual({ status: "offline", reason: "connection" });
    await pass(3);
    server.up = true;
    await pass(10);
    expect(page.told).toEqual(["online", "offline: connection", "online"]);
    expect(server.beats.at(-1)?.session).toBe("session-1");
  });

  test("a socket that died while the machine slept is noticed within seconds of waking", async () => {
    const page = present(server, tab);
    await pass(20);
    server.silent = true; // the other end is gone, and nobody said so
    sleep(3_600);
    await pass(5 + 5);
    expect(page.state).toEqual({ status: "offline", reason: "connection" });
    server.silent = false;
    await pass(2);
    expect(page.state).toEqual({ status: "online" });
    expect(server.dials).toHaveLength(2);
  });
});

describe("by beats, where WebSockets are blocked", () => {
  beforeEach(() => void (server.blocksWebSockets = true));

  test("as the server says, in sight and in the background", async () => {
    const page = present(server, tab);
    const from = Date.now();
    for (let second = 0; second < 72; second++) {
      tab.tell("input");
      await pass(1);
    }
    tab.tell("hidden");
    await pass(130);
    tab.tell("visible");
    await pass(1);
    expect(page.told).toEqual(["online"]);
    expect(times(from)).toEqual([
      [0, true],
      [24, true],
      [48, true],
      [72, true],
      [72, false], // at once
      [132, false],
      [192, false],
      [202, true], // at once
    ]);
    expect(server.beats.every(({ via }) => via === "heartbeat")).toBe(true);
    expect(new Set(server.beats.slice(1).map(({ session }) => session))).toEqual(new Set(["session-1"]));
  });

  test("a page that is seen but not used does not count as active", async () => {
    present(server, tab);
    const from = Date.now();
    await pass(90);
    tab.tell("input");
    await pass(1);
    expect(times(from)).toEqual([
      [0, true],
      [24, false],
      [84, false],
      [90, true],
    ]);
  });

  test("throttled timers: a beat is due by the clock", async () => {
    present(server, tab);
    await pass(1);
    tab.tell("hidden");
    await pass(0);
    const before = server.beats.length;
    sleep(59); // no timer comes for a minute
    await pass(5);
    expect(server.beats).toHaveLength(before + 1);
  });

  test("a beat that fails is sent again, not before the server wants it", async () => {
    const page = present(server, tab);
    await pass(1);
    server.refusals.push({ field: "heartbeat", code: "UNAVAILABLE", retryAfterMs: 9_000 });
    await pass(24);
    expect(page.told).toEqual(["online", "error: UNAVAILABLE"]);
    const failed = Date.now();
    const beats = server.beats.length;
    await pass(8);
    expect(server.beats).toHaveLength(beats);
    await pass(2);
    expect(server.beats).toHaveLength(beats + 1);
    expect(server.beats.at(-1)?.at).toBeLessThanOrEqual(failed + 10_000);
  });

  test("a beat that fails tells of no activity that it had none to tell of", async () => {
    present(server, tab);
    const from = Date.now();
    await pass(83);
    server.refusals.push({ field: "heartbeat", code: "UNAVAILABLE" });
    await pass(3);
    expect(times(from)).toEqual([
      [0, true],
      [24, false],
      [84.5, false],
    ]);
  });

  test("who looks at the page again and again does not make it beat before the server wants it", async () => {
    present(server, tab);
    await pass(1);
    server.refusals.push({ field: "heartbeat", code: "UNAVAILABLE", retryAfterMs: 20_000 });
    tab.tell("hidden");
    await pass(1);
    const refused = server.beats.length;
    for (let i = 0; i < 9; i++) {
      tab.tell(i % 2 ? "hidden" : "visible");
      await pass(2);
    }
    expect(server.beats).toHaveLength(refused);
    await pass(2);
    expect(server.beats.slice(refused).map(({ active }) => active)).toEqual([true]);
  });

  test("a network that swallows a beat is noticed, and the next one gets through", async () => {
    let swallowed = false;
    const fetch: typeof server.fetch = (url, init) => (swallowed ? new Promise(() => {}) : server.fetch(url, init));
    const page = present(server, tab, { fetch, transport: "sse" });
    await pass(1);
    swallowed = true;
    await pass(24 + 15 + 15 - 0.8); // the beat and the look at the connection have each waited in vain
    expect(page.state).toEqual({ status: "offline", reason: "connection" });
    swallowed = false;
    await pass(2);
    expect(page.state).toEqual({ status: "online" });
  });

  test("goes over to a WebSocket once that works", async () => {
    const page = present(server, tab);
    await pass(1);
    server.blocksWebSockets = false;
    await pass(60);
    expect(page.client.state).toEqual({ status: "open", transport: "websocket" });
    const beats = server.beats.length;
    await pass(300);
    expect(server.beats).toHaveLength(beats);
    expect(page.told).toEqual(["online"]);
  });
});

describe.each(["websocket", "sse"] as const)("whatever the way (%s)", (transport) => {
  test("replaced: told once, and not fought", async () => {
    const page = present(server, tab, { transport });
    await pass(1);
    server.takeOver();
    await pass(60);
    expect(page.told).toEqual(["online", "replaced"]);
    expect(server.beats.map(({ session }) => session)).toEqual(
      transport === "sse" ? [undefined, "session-1"] : [undefined],
    );
    const beats = server.beats.length;
    tab.tell("hidden");
    tab.tell("visible");
    tab.tell("input");
    tab.tell("online");
    tab.tell("pageshow");
    await pass(600);
    expect(server.beats).toHaveLength(beats);
    expect(server.session?.deviceId).toBe("elsewhere");
    page.start();
    await pass(1);
    expect(page.state).toEqual({ status: "online" });
    expect(server.session?.deviceId).toBe(page.deviceId);
  });

  test("ended by an administrator", async () => {
    const page = present(server, tab, { transport });
    await pass(1);
    server.disconnect();
    await pass(600);
    expect(page.told).toEqual(["online", "offline: ended"]);
  });

  test("signing out, which leaves nothing behind; and signing in again", async () => {
    const page = present(server, tab, { transport });
    await pass(1);
    await page.stop();
    expect(server.ended).toEqual(["session-1"]);
    await pass(600);
    expect(page.told).toEqual(["online", "offline: signedOut"]);
    expect([server.sockets.size, tab.listeners, vi.getTimerCount()]).toEqual([0, 0, 0]);
    page.start();
    await pass(1);
    expect(page.state).toEqual({ status: "online" });
    tab.tell("hidden");
    await pass(1);
    expect(server.beats.at(-1)?.active).toBe(false);
  });

  test("a refusal that is for good is told once", async () => {
    server.refusals.push({ field: transport === "sse" ? "heartbeat" : "session", code: "FORBIDDEN" });
    const page = present(server, tab, { transport });
    await pass(600);
    expect(page.told).toEqual(["error: FORBIDDEN", "offline: refused"]);
    expect(server.beats).toEqual([]);
  });

  test("an earlier page's session goes on, and one that is over is no reason to stay away", async () => {
    const earlier = present(server, tab, { transport });
    await pass(1);
    tab.tell("hidden"); // and then the browser crashes
    earlier.client.close();
    const second = new FakeTab(tab.browser, true);
    tab.browser.stored.set("rollcall:ada", "session-1");
    const page = present(server, second, { transport, userId: "ada" });
    await pass(1);
    expect(server.beats.at(-1)?.session).toBe("session-1");
    expect(page.deviceId).toBe(earlier.deviceId);
  });
});

test("a stored session that was replaced while no page was open: the new page signs in", async () => {
  tab.browser.stored.set("rollcall:ada", "session-0");
  const page = present(server, tab);
  server.takeOver();
  await pass(1);
  expect(page.told).toEqual(["online"]);
  expect(server.beats.map(({ session, active }) => [session, active])).toEqual([
    ["session-0", true],
    [undefined, true],
  ]);
});

test("a token is asked for anew at each connection and when one was refused, and stands in no address", async () => {
  let asked = 0;
  server.acceptsToken = (token) => token !== "secret-1";
  const page = createPresence({ ...connect(server, tab), token: () => `secret-${++asked}` });
  await pass(1);
  expect(page.state).toEqual({ status: "online" });
  server.goDown();
  server.up = true;
  await pass(5);
  expect(server.tokens).toEqual(["secret-1", "secret-2", "secret-3", "secret-4"].map((token) => `Bearer ${token}`));
  expect(JSON.stringify([server.requests.map(({ url }) => url), [...tab.browser.stored]])).not.toContain("secret");
});

test("who is not let in is told once", async () => {
  server.acceptsToken = () => false;
  const page = present(server, tab, { userId: "ada" });
  await pass(600);
  expect(page.told).toEqual(["error: UNAUTHENTICATED", "offline: refused"]);
  expect(server.tokens).toHaveLength(2);
  server.acceptsToken = () => true;
  page.start();
  await pass(1);
  expect(page.state).toEqual({ status: "online" });
});
