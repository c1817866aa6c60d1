import { expect, test } from "vitest";
import { ServerClock } from "../src/connection/clock";
import { hrefOf, parseRoute, type Route } from "../src/route";

test.each<Route>([
  { view: "overview" },
  { view: "online" },
  { view: "events" },
  { view: "events", userId: "a/b#c" },
  { view: "user", id: "alice" },
  { view: "user", id: "ü/50%?&" },
])("%o has an address of its own", (route) => {
  expect(parseRoute(hrefOf(route))).toEqual(route);
});

test.each(["", "#", "#/", "#/nothing", "#/user/", "#/user", "#/user/%"])("%s leads to the overview", (hash) => {
  expect(parseRoute(hash)).toEqual({ view: "overview" });
});

test("the server's clock is the latest it can be told to be", () => {
  let local = 1_000_000;
  const clock = new ServerClock(() => local);
  expect(clock.now()).toBe(local);
  clock.observe(5_000_000); // ahead by 4,000,000, less the way here
  clock.observe(4_000_000); // an old time says nothing
  expect(clock.now()).toBe(5_000_000);
  local += 500;
  expect(clock.now()).toBe(5_000_500);
  clock.restart(local - 60_000);
  expect(clock.now()).toBe(local - 60_000);
});
