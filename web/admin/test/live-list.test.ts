import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { RollcallError } from "@rollcall/client";
import { Desk } from "../src/desk/desk";
import { LiveList } from "../src/list/live-list";
import { everybody } from "../src/list/order";
import type { Page, User } from "../src/presence";
import { fakeApi } from "./fake-api";
import { event, user } from "./users";

let api: ReturnType<typeof fakeApi>;
let desk: Desk;
let list: LiveList;

const page = (users: User[], more: Partial<Page> = {}): Page => ({
  users,
  endCursor: users.at(-1)?.id ?? null,
  hasNextPage: false,
  totalCount: users.length,
  ...more,
});
const shown = () => Array.from({ length: list.rows.length }, (_, place) => list.rows.at(place)?.user.id);
const settled = () => vi.advanceTimersByTimeAsync(500);

const ann = user("ann", 300);
const bob = user("bob", 200);
const cat = user("cat", 400);

beforeEach(async () => {
  vi.useFakeTimers({ now: 1_000_000 });
  vi.stubGlobal("document", { hidden: false });
  api = fakeApi();
  api.page.mockResolvedValue(page([ann, bob]));
  desk = new Desk(api);
  api.open();
  list = new LiveList(desk);
  await settled();
});
afterEach(() => {
  list.close();
  desk.close();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("at rest who comes is put in, soon", async () => {
  expect(shown()).toEqual(["ann", "bob"]);
  api.tell({ events: [event("ONLINE", cat)] });
  await settled();
  expect(shown()).toEqual(["cat", "ann", "bob"]);
});

test("while somebody reads nothing moves, and all of it happens when they are done", async () => {
  list.setReading(true);
  api.tell({ events: [event("ONLINE", cat), event("OFFLINE", user("ann", 300, { status: "OFFLINE" }), "EXPIRED")] });
  await settled();
  expect(shown()).toEqual(["ann", "bob"]);
  expect(list.rows.news).toBe(1);
  list.setReading(false);
  await settled();
  expect(shown()).toEqual(["cat", "bob"]);
});

test("at rest the head of the list is read again now and then, while somebody reads only what is in sight", async () => {
  const before = api.page.mock.calls.length;
  await vi.advanceTimersByTimeAsync(5000);
  expect(api.page.mock.calls.length).toBe(before + 1);

  list.setReading(true);
  list.setVisible(1, 2);
  api.users.mockResolvedValue([user("bob", 900)]);
  await vi.advanceTimersByTimeAsync(5000);
  expect(api.page.mock.calls.length).toBe(before + 1);
  expect(api.users).toHaveBeenLastCalledWith(["bob"]);
  expect(shown()).toEqual(["ann", "bob"]);
  expect(list.rows.at(1)?.user.presence.lastActiveAt).toBe(900);
});

test("a page that was asked for at rest moves nothing if somebody has begun to read meanwhile", async () => {
  let answer: (page: Page) => void = () => {};
  api.page.mockImplementationOnce(() => new Promise((resolve) => (answer = resolve)));
  await vi.advanceTimersByTimeAsync(5000);
  list.setReading(true);
  answer(page([cat, ann, bob]));
  await settled();
  expect(shown()).toEqual(["ann", "bob"]);
});

test("events that come while a page is on its way are newer than it", async () => {
  let answer: (page: Page) => void = () => {};
  api.page.mockImplementationOnce(() => new Promise((resolve) => (answer = resolve)));
  const reread = list.reread();
  api.tell({ events: [event("OFFLINE", user("bob", 200, { status: "OFFLINE" }), "SIGNED_OUT")] });
  answer(page([ann, bob]));
  await reread;
  expect(shown()).toEqual(["ann"]);
});

test("an answer to an earlier choice is void", async () => {
  let answer: (page: Page) => void = () => {};
  api.page.mockImplementationOnce(() => new Promise((resolve) => (answer = resolve)));
  list.choose("LEVEL_DESC", everybody);
  api.page.mockResolvedValue(page([cat]));
  list.choose("LAST_ACTIVE_ASC", everybody);
  await settled();
  answer(page([ann]));
  await settled();
  expect(shown()).toEqual(["cat"]);
  expect(list.chosen.value.order).toBe("LAST_ACTIVE_ASC");
});

test("more pages follow by their cursor, one at a time", async () => {
  api.page.mockResolvedValue(page([ann, bob], { hasNextPage: true, endCursor: "after bob" }));
  await list.reread();
  list.setReading(true);
  api.page.mockResolvedValueOnce(page([user("dan", 100)]));
  const asked = api.page.mock.calls.length;
  await Promise.all([list.more(), list.more()]);
  expect(api.page.mock.calls.length).toBe(asked + 1);
  expect(api.page).toHaveBeenLastCalledWith(expect.objectContaining({ after: "after bob" }));
  expect(shown()).toEqual(["ann", "bob", "dan"]);
  await list.more();
  expect(api.page.mock.calls.length).toBe(asked + 1);
});

test("a reset is told to who reads, and mends itself at rest", async () => {
  list.setReading(true);
  api.tell({ reset: true });
  await settled();
  expect(list.rows.missed).toBe(true);
  list.setReading(false);
  await vi.advanceTimersByTimeAsync(5000);
  expect(list.rows.missed).toBe(false);
});

test("a list that can't be read says so, and is tried again", async () => {
  api.page.mockRejectedValue(new RollcallError("UNAVAILABLE", "down"));
  list.choose("LEVEL_DESC", everybody);
  await settled();
  expect(list.state.value).toBe("failed");
  api.page.mockResolvedValue(page([ann]));
  await vi.advanceTimersByTimeAsync(5000);
  expect(list.state.value).toBe("ready");
});

test("what was read stays when the store can't be reached", async () => {
  api.page.mockRejectedValue(new RollcallError("UNAVAILABLE", "down"));
  await vi.advanceTimersByTimeAsync(5000);
  expect(list.state.value).toBe("ready");
  expect(shown()).toEqual(["ann", "bob"]);
  expect(desk.phase.value.name).toBe("unavailable");
});

test("a server that needs long for a page is waited for, and not asked over and over", async () => {
  let answer: (page: Page) => void = () => {};
  api.page.mockImplementation(() => new Promise((resolve) => (answer = resolve)));
  list.choose("LEVEL_DESC", everybody);
  const asked = api.page.mock.calls.length;
  await vi.advanceTimersByTimeAsync(12_000);
  expect(api.page.mock.calls.length).toBe(asked);
  answer(page([cat]));
  await settled();
  expect(shown()).toEqual(["cat"]);
});
