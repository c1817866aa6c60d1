import { expect, test } from "vitest";
import { areaPath, linePath, lines, nearest, quarters, ticks } from "../src/overview/scale";

test.each([
  [0, [0, 1]],
  [1, [0, 1]],
  [3, [0, 1, 2, 3]],
  [7, [0, 5, 10]],
  [100, [0, 50, 100]],
  [47_211, [0, 20_000, 40_000, 60_000]],
])("the axis of %i", (max, expected) => expect(ticks(max)).toEqual(expected));

test("whole quarters of an hour", () => {
  const at = (minute: number) => Date.UTC(2026, 0, 1, 12, minute);
  expect(quarters(at(-52), at(8))).toEqual([at(-45), at(-30), at(-15), at(0)]);
});

const plot = { from: 0, to: 100, max: 10, width: 200, height: 50 };

test("a line rises to the right, and its area ends on the ground", () => {
  const points = [
    { at: 0, value: 0 },
    { at: 50, value: 10 },
  ];
  expect(linePath(plot, points)).toBe("M0.0 50.0L100.0 0.0");
  expect(areaPath(plot, points)).toBe("M0.0 50.0L100.0 0.0L100.0 50L0.0 50Z");
  expect(areaPath(plot, [])).toBe("");
});

test("a line is not drawn over what was not recorded", () => {
  const points = [0, 1, 2, 10, 11].map((at) => ({ at, value: 1 }));
  expect(lines(points, 3).map((part) => part.length)).toEqual([3, 2]);
  expect(lines([], 3)).toEqual([]);
});

test("the nearest point", () => {
  const points = [0, 10, 20].map((at) => ({ at, value: at }));
  expect(nearest(points, 14)?.at).toBe(10);
  expect(nearest(points, 16)?.at).toBe(20);
  expect(nearest([], 1)).toBeUndefined();
});
