import { expect, test } from "vitest";
import { learn, phaseOf, unknown, type Health, type News } from "../src/connection/health";

const after = (...news: News[]): Health => news.reduce(learn, unknown);
const open: News = { kind: "link", link: { state: "open" }, at: 1 };
const lost = (at: number, retryAt: number | null): News => ({ kind: "link", link: { state: "lost", retryAt }, at });
const failed = (code: string, at = 5): News => ({ kind: "failed", code, message: code.toLowerCase(), at });

test("from connecting to live", () => {
  expect(phaseOf(unknown)).toEqual({ name: "connecting" });
  expect(phaseOf(after({ kind: "link", link: { state: "connecting" }, at: 0 }))).toEqual({ name: "connecting" });
  expect(phaseOf(after(open))).toEqual({ name: "live" });
});

test("what is shown is stale since the connection was lost first, however often it is tried again", () => {
  expect(phaseOf(after(open, lost(10, 12)))).toEqual({ name: "reconnecting", since: 10, retryAt: 12 });
  const trying = after(open, lost(10, 12), { kind: "link", link: { state: "connecting" }, at: 12 });
  expect(phaseOf(trying)).toEqual({ name: "reconnecting", since: 10, retryAt: null });
  const again = learn(trying, lost(13, 17));
  expect(phaseOf(again)).toEqual({ name: "reconnecting", since: 10, retryAt: 17 });
  expect(phaseOf(learn(again, open))).toEqual({ name: "live" });
});

test("a store that can't be reached is said until it answers", () => {
  const down = after(open, failed("UNAVAILABLE", 20), failed("UNAVAILABLE", 30));
  expect(phaseOf(down)).toEqual({ name: "unavailable", since: 20 });
  expect(phaseOf(learn(down, { kind: "answered" }))).toEqual({ name: "live" });
  expect(phaseOf(learn(down, lost(40, 41)))).toMatchObject({ name: "reconnecting" });
});

test("a bad token leads back to sign-in, whoever says so", () => {
  expect(phaseOf(after(open, failed("UNAUTHENTICATED")))).toEqual({ name: "signed-out", why: "unauthenticated" });
  const refused = after({ kind: "link", link: { state: "refused", message: "expired" }, at: 1 });
  expect(phaseOf(refused)).toEqual({ name: "signed-out", why: "expired" });
});

test("who is no administrator is told so, even while reconnecting", () => {
  expect(phaseOf(after(open, failed("FORBIDDEN"), lost(10, 11)))).toEqual({ name: "forbidden" });
});

test("other failures are of one call alone", () => {
  expect(phaseOf(after(open, failed("INTERNAL"), failed("BAD_USER_INPUT"), failed("RATE_LIMITED")))).toEqual({
    name: "live",
  });
});
