import { expect, test } from "vitest";
import { placeAfter } from "../src/list/online-view";
import { readLevel } from "../src/list/toolbar";
import { join } from "../src/overview/history";

test.each([
  ["ArrowDown", 3, 4],
  ["ArrowUp", 0, 0],
  ["ArrowDown", 9, 9],
  ["PageDown", 5, 9],
  ["PageUp", 5, 0],
  ["Home", 5, 0],
  ["End", 5, 9],
  ["Enter", 5, undefined],
  ["a", 5, undefined],
])("%s leads from row %i of ten to %s", (key, place, expected) => {
  expect(placeAfter(key, place, 10)).toBe(expected);
});

test("an empty list has no row to lead to", () => expect(placeAfter("End", 0, 0)).toBeUndefined());

test.each([
  ["12", 12],
  [" -3 ", -3],
  ["", null],
  ["1.5", null],
  ["many", null],
  ["1e3", null],
])("the level %s is %s", (text, expected) => {
  expect(readLevel(text)).toBe(expected);
});

test("what was seen follows what is recorded, a point in five seconds and the newest one", () => {
  const recorded = [
    { at: 0, value: 1 },
    { at: 60_000, value: 2 },
  ];
  const seen = [50_000, 61_000, 66_000, 67_000, 68_000].map((at) => ({ at, value: 3 }));
  expect(join(recorded, seen, 30_000).map((point) => point.at)).toEqual([60_000, 66_000, 68_000]);
  expect(join([], [], 0)).toEqual([]);
});
