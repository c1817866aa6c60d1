// The presence map: what is read, what is heard, and how the two make one.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createClient, type PresenceEvent, type Watch, type WatchOptions } from "../../src/index.js";
import type { LinkSink } from "../../src/link.js";
import { FakeBrowser } from "./browser.js";
import { connect, pass } from "./page.js";
import { FakeServer } from "./server.js";

let server: FakeServer;
/** What the server was asked to resume from, and its ends of the subscriptions. */
let asked: unknown[];
let streams: LinkSink[];
/** Whom the list has, and what holds its reading up. */
let listed: Record<string, string>;
let hold: (() => Promise<void>) | undefined;

beforeEach(() => {
  vi.useFakeTimers();
  [asked, streams, listed, hold] = [[], [], {}, undefined];
  server = new FakeServer();
  server.operations.set("presenceChanged", ({ since }, sink) => {
    asked.push(since);
    streams.push(sink);
    return () => {};
  });
  server.operations.set("onlineUsers", (_, sink) => {
    const nodes = Object.keys(listed).map((id) => ({ id, presence: presence(id, listed[id] ?? "") }));
    sink.next({
      data: { onlineUsers: { totalCount: nodes.length, nodes, pageInfo: { hasNextPage: false, endCursor: null } } },
    });
    return undefined;
  });
  server.operations.set("presence", ({ userIds }, sink) => {
    const ids = userIds as string[];
    sink.next({ data: { presence: ids.map((id) => presence(id, listed[id] ?? "OFFLINE")) } });
    return undefined;
  });
});
afterEach(() => void vi.useRealTimers());

const presence = (userId: string, status: string) => ({ userId, status, lastActiveAt: null, onlineSince: null });
const event = (userId: string, type: string, status: string) => ({
  userId,
  type,
  reason: null,
  at: "",
  presence: presence(userId, status),
});

function deliver(cursor: string, events: object[] = [], reset = false) {
  streams.at(-1)?.next({ data: { presenceChanged: { cursor, reset, events } } });
  return pass(0);
}

function open(options?: WatchOptions) {
  const fetch: typeof server.fetch = async (url, init) => {
    const response = await server.fetch(url, init); // read before it is held up
    await hold?.();
    return response;
  };
  const client = createClient({ ...connect(server, new FakeBrowser().open()), fetch });
  const watch = client.watch(options);
  const told: string[] = [];
  watch.on("live", (cursor) => told.push(`live ${cursor}`));
  watch.on("gap", () => told.push("gap"));
  watch.on("error", ({ code }) => told.push(`error ${code}`));
  watch.on("events", (events: PresenceEvent[]) => told.push(...events.map(({ userId, type }) => `${userId} ${type}`)));
  return { watch, told };
}
const statuses = ({ presences }: Watch) =>
  Object.fromEntries([...presences.values()].map(({ userId, status }) => [userId, status]));

test("reads who is online, then follows the events", async () => {
  listed = { ada: "ONLINE", bob: "AWAY" };
  const { watch, told } = open();
  await pass(0);
  await deliver("1");
  expect(watch.ready).toBe(true);
  expect(statuses(watch)).toEqual({ ada: "ONLINE", bob: "AWAY" });
  await deliver("2", [event("bob", "OFFLINE", "OFFLINE"), event("cyd", "ONLINE", "ONLINE")]);
  expect(statuses(watch)).toEqual({ ada: "ONLINE", cyd: "ONLINE" });
  expect(told).toEqual(["live 1", "bob OFFLINE", "cyd ONLINE"]);
  expect(watch.cursor).toBe("2");
});

test("of given users: each of them, whether online or not", async () => {
  listed = { ada: "ONLINE" };
  const { watch } = open({ userIds: ["ada", "bob"] });
  await pass(0);
  await deliver("1");
  expect(statuses(watch)).toEqual({ ada: "ONLINE", bob: "OFFLINE" });
  await deliver("2", [event("ada", "OFFLINE", "OFFLINE")]);
  expect(statuses(watch)).toEqual({ ada: "OFFLINE", bob: "OFFLINE" });
});

test("an event that comes while the list is read is newer than the list", async () => {
  listed = { ada: "ONLINE", bob: "ONLINE" };
  let release = () => {};
  hold = () => new Promise((resolve) => (release = resolve));
  const { watch } = open();
  await pass(0);
  await deliver("1");
  await deliver("2", [event("ada", "OFFLINE", "OFFLINE"), event("cyd", "ONLINE", "ONLINE")]);
  expect(watch.ready).toBe(false);
  release();
  await pass(0);
  expect(watch.ready).toBe(true);
  expect(statuses(watch)).toEqual({ bob: "ONLINE", cyd: "ONLINE" });
});

test("a lost connection: resumes after the last delta, and reads nothing again", async () => {
  listed = { ada: "ONLINE" };
  const { watch, told } = open();
  await pass(0);
  await deliver("1");
  await deliver("2", [event("bob", "ONLINE", "ONLINE")]);
  const read = server.requests.length;
  server.goDown();
  server.up = true;
  await pass(5);
  expect(asked).toEqual([undefined, "2"]);
  await deliver("3", [event("bob", "OFFLINE", "OFFLINE")]);
  expect(statuses(watch)).toEqual({ ada: "ONLINE" });
  expect(told).toEqual(["live 1", "bob ONLINE", "live 3", "bob OFFLINE"]);
  expect(server.requests).toHaveLength(read);
});

test("a reset is told, and the list is read afresh", async () => {
  listed = { ada: "ONLINE", bob: "ONLINE" };
  const { watch, told } = open();
  await pass(0);
  await deliver("1");
  listed = { bob: "AWAY", cyd: "ONLINE" };
  await deliver("2", [], true);
  expect(statuses(watch)).toEqual({ bob: "AWAY", cyd: "ONLINE" });
  expect(told).toEqual(["live 1", "gap"]);
});

test("a reading that fails is tried again; what is forbidden is told once and ends the watch", async () => {
  listed = { ada: "ONLINE" };
  server.refusals.push({ field: "onlineUsers", code: "UNAVAILABLE" });
  const { watch, told } = open();
  await pass(0);
  await deliver("1");
  expect(watch.ready).toBe(false);
  await pass(1);
  expect(watch.ready).toBe(true);

  server.refusals.push({ field: "onlineUsers", code: "FORBIDDEN" });
  await deliver("2", [], true);
  await pass(60);
  expect(told).toEqual(["live 1", "gap", "error FORBIDDEN"]);
  expect(server.sockets.size).toBe(0);
});

test("from a cursor, without a map: events alone", async () => {
  const { watch, told } = open({ since: "7", map: false });
  await pass(0);
  await deliver("8", [event("ada", "ONLINE", "ONLINE")]);
  expect(asked).toEqual(["7"]);
  expect(told).toEqual(["live 8", "ada ONLINE"]);
  expect(watch.presences.size).toBe(0);
  expect(server.requests).toEqual([]);
});

test("closed: nothing more is told", async () => {
  const { watch, told } = open();
  await pass(0);
  watch.close();
  await deliver("1", [event("ada", "ONLINE", "ONLINE")]);
  await pass(60);
  expect(told).toEqual([]);
  expect(server.sockets.size).toBe(0);
});
