// Several tabs of one browser are one device.
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { FakeBrowser } from "./browser.js";
import { pass, present } from "./page.js";
import { FakeServer } from "./server.js";

let server: FakeServer;
beforeEach(() => {
  vi.useFakeTimers();
  server = new FakeServer();
});
afterEach(() => void vi.useRealTimers());

describe.each([
  ["by Web Locks", true],
  ["by an election", false],
  ["by an election, since locks are refused", "refused"],
] as const)("%s", (_, locks) => {
  let browser: FakeBrowser;
  beforeEach(() => void (browser = new FakeBrowser({ locks })));

  test("one leads, all hear the same", async () => {
    const tabs = [browser.open(), browser.open(false), browser.open(false)];
    const pages = tabs.map((tab) => present(server, tab));
    await pass(2);
    expect(server.beats).toHaveLength(1);
    expect(server.sockets.size).toBe(1);
    expect(new Set(pages.map(({ deviceId }) => deviceId)).size).toBe(1);
    server.takeOver();
    await pass(600);
    for (const page of pages) expect(page.told).toEqual(["online", "replaced"]);
    expect(server.beats).toHaveLength(1);
  });

  test("a tab that comes later learns how things stand", async () => {
    present(server, browser.open());
    await pass(2);
    const late = present(server, browser.open());
    await pass(2);
    expect(late.told).toEqual(["online"]);
    expect(server.beats).toHaveLength(1);
  });

  test("the next takes over when the leader closes, without signing in and without going offline", async () => {
    const [one, two] = [browser.open(), browser.open(false)];
    present(server, one);
    await pass(2);
    const next = present(server, two);
    await pass(2);
    one.tell("hidden");
    one.tell("pagehide");
    two.tell("visible");
    await pass(2);
    expect(server.ended).toEqual([]);
    expect(server.beats.at(-1)).toMatchObject({ session: "session-1", active: true });
    expect(server.sockets.size).toBe(1);
    expect(next.told).toEqual(["online"]);
  });

  test("the last tab that closes goes offline at once, by a request that outlives it", async () => {
    const [one, two] = [browser.open(), browser.open()];
    present(server, one);
    await pass(2);
    present(server, two);
    await pass(2);
    one.tell("pagehide");
    await pass(2);
    two.tell("pagehide");
    await pass(0);
    expect(server.ended).toEqual(["session-1"]);
    expect(server.requests.at(-1)).toMatchObject({ keepalive: true });
    expect(server.sockets.size).toBe(0);
    await pass(600);
    expect(server.beats.at(-1)?.session).toBe("session-1");
  });

  test("seen as long as one of them is", async () => {
    const [one, two] = [browser.open(), browser.open(false)];
    present(server, one);
    await pass(2);
    present(server, two);
    await pass(2);
    two.tell("visible"); // beside the first, in a window of its own
    await pass(0);
    one.tell("hidden");
    await pass(300);
    expect(server.beats.map(({ active }) => active).filter((active) => !active)).toEqual([]);
    two.tell("hidden");
    await pass(1);
    expect(server.beats.at(-1)?.active).toBe(false);
    two.tell("visible");
    await pass(1);
    expect(server.beats.at(-1)?.active).toBe(true);
  });

  test("what the user does in another tab counts", async () => {
    const [one, two] = [browser.open(false), browser.open()];
    present(server, one);
    await pass(2);
    present(server, two);
    await pass(120);
    const before = server.beats.length;
    two.tell("input");
    await pass(1);
    expect(server.beats.slice(before).map(({ active }) => active)).toEqual([true]);
  });

  test("a tab whose client is closed leaves the session to the next, and stops nobody else", async () => {
    const [one, two] = [browser.open(), browser.open()];
    const first = present(server, one);
    await pass(2);
    const second = present(server, two);
    await pass(2);
    first.client.close();
    await pass(2);
    expect(first.told).toEqual(["online", "offline: closed"]);
    expect([second.told, second.state]).toEqual([["online"], { status: "online" }]);
    expect(server.beats.at(-1)?.session).toBe("session-1");
    expect(server.sockets.size).toBe(1);
    expect([one.listeners, server.ended]).toEqual([0, []]);
    first.start();
    await pass(2);
    expect(first.told).toEqual(["online", "offline: closed"]);
  });

  test("signing out in any of them is for all", async () => {
    const pages = [];
    for (let i = 0; i < 3; i++) {
      pages.push(present(server, browser.open()));
      await pass(2);
    }
    await pages[1]?.stop();
    await pass(600);
    expect(server.ended).toEqual(["session-1"]);
    for (const page of pages) expect(page.told).toEqual(["online", "offline: signedOut"]);
    expect(server.sockets.size).toBe(0);
  });
});

test("a page that comes back from the back/forward cache signs in again", async () => {
  const tab = new FakeBrowser().open();
  const page = present(server, tab);
  await pass(1);
  tab.tell("pagehide");
  await pass(60);
  expect(page.state).toEqual({ status: "connecting" });
  expect(server.ended).toEqual(["session-1"]);
  tab.tell("pageshow");
  await pass(1);
  expect(page.told).toEqual(["online", "online"]);
  expect(server.session?.token).toBe("session-2");
});

test("where there are no channels each tab looks after the session itself", async () => {
  const browser = new FakeBrowser({ channels: false });
  present(server, browser.open());
  await pass(1);
  present(server, browser.open());
  await pass(1);
  expect(server.beats.map(({ session }) => session)).toEqual([undefined, "session-1"]);
});

test("two that lead for a moment end as one, with one session", async () => {
  const browser = new FakeBrowser({ locks: false });
  vi.spyOn(Math, "random").mockReturnValue(0.5); // neither is the first
  const ids = ["a", "b"];
  vi.spyOn(Number.prototype, "toString").mockImplementation(() => ids.pop() ?? "c");
  const pages = [
    present(server, browser.open(), { userId: "ada" }),
    present(server, browser.open(), { userId: "ada" }),
  ];
  await pass(2);
  vi.restoreAllMocks();
  expect(server.sockets.size).toBe(1);
  for (const page of pages) expect(page.state).toEqual({ status: "online" });
  await pass(600);
  expect(server.sockets.size).toBe(1);
});

test("tabs of different users are apart", async () => {
  const browser = new FakeBrowser();
  present(server, browser.open(), { userId: "ada" });
  present(server, browser.open(), { userId: "bob" });
  await pass(1);
  expect(server.dials).toHaveLength(2);
});
