import { expect, test } from "vitest";
import { scrollFor, windowOf } from "../src/ui/window";

test.each([
  ["at the top", 0, { from: 0, to: 12 }],
  ["within", 1000, { from: 18, to: 32 }],
  ["at the end", 4500, { from: 88, to: 100 }],
  ["bounced beyond the top", -80, { from: 0, to: 12 }],
  ["scrolled further than the list reaches now", 9000, { from: 100, to: 100 }],
])("%s", (_, scrollTop, expected) => {
  expect(windowOf(scrollTop, 500, 50, 100, 2)).toEqual(expected);
});

test("an empty list draws nothing", () => {
  expect(windowOf(0, 500, 50, 0, 2)).toEqual({ from: 0, to: 0 });
});

test.each([
  [0, 0],
  [3, 100],
  [9, 100],
  [12, 150],
  [1, 50],
])("row %i is in sight at %i", (place, expected) => {
  expect(scrollFor(place, 100, 500, 50)).toBe(expected);
});
