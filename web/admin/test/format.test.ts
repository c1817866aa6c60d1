import { describe, expect, test } from "vitest";
import { ago, bytes, count, duration, fraction, hue, initials, percent, rate, timeOfDay } from "../src/format";

const plain = (text: string) => text.replaceAll("\u00a0", " ");

test.each([
  [0, "0 s"],
  [999, "0 s"],
  [59_999, "59 s"],
  [60_000, "1 min"],
  [3_599_999, "59 min"],
  [3_600_000, "1 h"],
  [86_399_999, "23 h"],
  [86_400_000, "1 d"],
  [-5, "0 s"],
])("a duration of %i ms is %s", (ms, text) => {
  expect(plain(duration(ms))).toBe(text);
});

test("ago", () => {
  expect(plain(ago(1_000, 13_500))).toBe("12 s ago");
  expect(ago(1_000, 1_999)).toBe("now");
  expect(ago(5_000, 1_000)).toBe("now");
});

test.each([
  [0, "0 B"],
  [1023, "1023 B"],
  [1536, "1.5 kB"],
  [150 * 1024 ** 2, "150 MB"],
  [2 * 1024 ** 3, "2 GB"],
])("%i bytes are %s", (n, text) => expect(plain(bytes(n))).toBe(text));

test("numbers", () => {
  expect(count(12345.4)).toBe("12,345");
  expect([0, 0.04, 0.44, 12.25, 1234].map(rate)).toEqual(["0", "0", "0.4", "12.3", "1,234"]);
  expect(plain(percent(0.804))).toBe("80 %");
});

test("times of day, and their milliseconds", () => {
  expect(timeOfDay(Date.UTC(2026, 0, 1, 12, 34, 56))).toMatch(/^\d\d:34:56$/);
  expect(fraction(Date.UTC(2026, 0, 1) + 7)).toBe(".007");
});

describe("initials", () => {
  test.each([
    ["Alice Arden", "x", "AA"],
    ["Mary Jane  Watson", "x", "MW"],
    ["Cher", "x", "C"],
    [null, "user-1", "U"],
    ["", "bob", "?"],
    ["éva Ó", "x", "ÉÓ"],
    ["😀 Bob", "x", "😀B"],
  ])("of %s, %s: %s", (name, id, expected) => {
    expect(initials(name, id)).toBe(expected);
  });
});

test("a hue belongs to an id", () => {
  expect(hue("alice", 8)).toBe(hue("alice", 8));
  const used = new Set(Array.from({ length: 100 }, (_, i) => hue(`user-${i}`, 8)));
  expect(used.size).toBe(8);
});
