import { describe, expect, test } from "vitest";
import { everybody, type Filter, type Order } from "../src/list/order";
import { Rows, type Row } from "../src/list/rows";
import type { Page, User } from "../src/presence";
import { event, user } from "./users";

const page = (users: User[], more: Partial<Page> = {}): Page => ({
  users,
  endCursor: users.at(-1)?.id ?? null,
  hasNextPage: false,
  totalCount: users.length,
  ...more,
});

function list(
  users: User[],
  order: Order = "LAST_ACTIVE_DESC",
  filter: Filter = everybody,
  more: Partial<Page> = {},
): Rows {
  const rows = new Rows(order, filter);
  rows.append(page(users, more));
  return rows;
}

const all = (rows: Rows): Row[] => Array.from({ length: rows.length }, (_, place) => rows.at(place)!);
const shown = (rows: Rows): string[] => all(rows).map((row) => row.user.id + (row.gone ? " gone" : ""));

const ann = user("ann", 300);
const bob = user("bob", 200);
const cat = user("cat", 100);

test("pages follow one another, and who moved between them is there once", () => {
  const rows = list([ann, bob], "LAST_ACTIVE_DESC", everybody, { hasNextPage: true, totalCount: 3 });
  expect(rows.complete).toBe(false);
  rows.append(page([user("bob", 250), cat], { totalCount: 3 }));
  expect(shown(rows)).toEqual(["ann", "bob", "cat"]);
  expect(rows.at(1)?.user.presence.lastActiveAt).toBe(250);
  expect(rows).toMatchObject({ complete: true, endCursor: "cat", total: 3 });
});

test("who leaves keeps the row until the list settles", () => {
  const rows = list([ann, bob, cat]);
  rows.apply([event("OFFLINE", user("bob", 200, { status: "OFFLINE" }), "EXPIRED")]);
  expect(shown(rows)).toEqual(["ann", "bob gone", "cat"]);
  expect(rows.at(1)?.reason).toBe("EXPIRED");
  expect(rows.unsettled).toBe(true);
  rows.settle();
  expect(shown(rows)).toEqual(["ann", "cat"]);
  expect(rows.unsettled).toBe(false);
  expect(rows.placeOf("cat")).toBe(1);
  expect(rows.placeOf("bob")).toBeUndefined();
});

test("who comes back is in the row they had", () => {
  const rows = list([ann, bob]);
  rows.apply([
    event("OFFLINE", user("bob", 200, { status: "OFFLINE" }), "SIGNED_OUT"),
    event("ONLINE", user("bob", 400)),
  ]);
  expect(shown(rows)).toEqual(["ann", "bob"]);
  expect(rows.at(1)?.reason).toBeNull();
  expect(rows.news).toBe(0);
});

test("who comes is counted, waits, and is put in where they belong", () => {
  const rows = list([ann, bob]);
  rows.apply([event("ONLINE", user("dan", 400)), event("ONLINE", user("eve", 250))]);
  expect(shown(rows)).toEqual(["ann", "bob"]);
  expect(rows.news).toBe(2);
  rows.settle();
  expect(shown(rows)).toEqual(["dan", "ann", "eve", "bob"]);
  expect(rows.news).toBe(0);
});

test("who comes and goes again is no news", () => {
  const rows = list([ann]);
  rows.apply([event("ONLINE", user("dan", 400))]);
  rows.apply([event("OFFLINE", user("dan", 400, { status: "OFFLINE" }), "EXPIRED")]);
  expect(rows.news).toBe(0);
});

test("who belongs further down than was read is no news: scrolling leads to them", () => {
  const rows = list([ann, bob], "LAST_ACTIVE_ASC", everybody, { hasNextPage: true });
  rows.apply([event("ONLINE", user("dan", 400))]);
  expect(rows.news).toBe(0);
  rows.append(page([user("zoe", 500)]));
  rows.apply([event("ONLINE", user("dan", 450))]);
  expect(rows.news).toBe(1);
});

test("an update of somebody who was not read brings nobody", () => {
  const rows = list([ann], "LAST_ACTIVE_DESC", everybody, { hasNextPage: true });
  rows.apply([event("UPDATED", user("dan", 400))]);
  expect(rows.news).toBe(0);
});

test("a row keeps its place whatever its user does, and others keep their rows", () => {
  const rows = list([ann, bob, cat]);
  const [first, , last] = all(rows);
  rows.apply([event("UPDATED", user("bob", 900))]);
  expect(shown(rows)).toEqual(["ann", "bob", "cat"]);
  expect(rows.at(0)).toBe(first);
  expect(rows.at(2)).toBe(last);
  rows.settle();
  expect(shown(rows)).toEqual(["bob", "ann", "cat"]);
});

test("an event that is older than the page does not turn activity back", () => {
  const rows = list([ann]);
  rows.apply([event("UPDATED", user("ann", 100))]);
  expect(rows.at(0)?.user.presence.lastActiveAt).toBe(300);
});

test("fresh readings change rows in place and bring nobody", () => {
  const rows = list([ann]);
  rows.refresh([user("ann", 500, { name: "Ann" }), user("dan", 1)]);
  expect(shown(rows)).toEqual(["ann"]);
  expect(rows.at(0)?.user).toMatchObject({ name: "Ann", presence: { lastActiveAt: 500 } });
});

test("rows are found by a part of id or name", () => {
  const rows = list([user("u-1", 3, { name: "Ada Park" }), user("u-2", 2), user("park-ranger", 1)]);
  expect(rows.find("PARK", 10).map((row) => row.user.id)).toEqual(["u-1", "park-ranger"]);
  expect(rows.find("u-", 1)).toHaveLength(1);
});

describe("a filter", () => {
  const away: Filter = { ...everybody, status: "AWAY" };

  test("by status: who no longer matches goes, who begins to match comes", () => {
    const rows = list([user("ann", 300, { status: "AWAY" })], "LAST_ACTIVE_DESC", away);
    rows.apply([
      event("UPDATED", user("ann", 900)),
      event("UPDATED", user("bob", 200, { status: "AWAY" })),
      event("ONLINE", user("cat", 100)),
    ]);
    expect(shown(rows)).toEqual(["ann gone"]);
    expect(rows.news).toBe(1);
    rows.settle();
    expect(shown(rows)).toEqual(["bob"]);
  });

  test("by level: bounds are inclusive, and who has none is left out", () => {
    const rows = list([], "LEVEL_DESC", { status: null, minLevel: 10, maxLevel: 20 });
    for (const [id, level] of [
      ["a", 9],
      ["b", 10],
      ["c", 20],
      ["d", 21],
      ["e", null],
    ] as const) {
      rows.apply([event("ONLINE", user(id, 1, { level }))]);
    }
    rows.settle();
    expect(shown(rows)).toEqual(["c", "b"]);
  });
});

describe("orders", () => {
  const people = [
    user("a", 100, { level: 1 }),
    user("b", 200, { level: 3 }),
    user("c", 300, { level: 3 }),
    user("d", 400),
    user("e", 300, { level: 3 }), // a tie, which the server lists in the order's direction as well
    user("f", 400),
  ];
  test.each<[Order, string]>([
    ["LAST_ACTIVE_DESC", "fdecba"],
    ["LAST_ACTIVE_ASC", "abcedf"],
    ["LEVEL_DESC", "ecbafd"],
    ["LEVEL_ASC", "abcedf"],
  ])("%s", (order, expected) => {
    const rows = list(people, order);
    rows.settle();
    expect(shown(rows).join("")).toBe(expected);
  });
});

// Linear work is done in a small part of the 2 s, even on a busy machine; a look at every row for each event never is.
test("fifty thousand rows take in as many events without looking at all for each", () => {
  const people = Array.from({ length: 50_000 }, (_, i) => user(`user-${i}`, 50_000 - i));
  const rows = list(people);
  const told = people.map((each) => event("UPDATED", { ...each, name: "x" }));
  const begin = performance.now();
  rows.apply(told);
  expect(performance.now() - begin).toBeLessThan(2000);
  expect(rows.at(49_999)?.user.name).toBe("x");
});
