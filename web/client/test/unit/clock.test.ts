import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { after, backoff } from "../../src/clock.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("rings once the time has passed, and not before", () => {
  const ring = vi.fn();
  after(12_000, ring);
  vi.advanceTimersByTime(11_999);
  expect(ring).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  vi.advanceTimersByTime(60_000);
  expect(ring).toHaveBeenCalledOnce();
});

test("a sleep of the machine is noticed by the clock, not when the timer would have come", () => {
  const ring = vi.fn();
  after(60_000, ring);
  vi.advanceTimersByTime(1_000);
  vi.setSystemTime(Date.now() + 3_600_000); // timers stood still
  vi.advanceTimersByTime(5_000);
  expect(ring).toHaveBeenCalledOnce();
});

test("late timers of a hidden page add nothing up", () => {
  const ring = vi.fn();
  const from = Date.now();
  after(60_000, () => ring(Date.now() - from));
  // Each timer comes when the browser likes: once a minute.
  vi.setSystemTime(from + 54_000);
  vi.advanceTimersToNextTimer();
  expect(ring).not.toHaveBeenCalled();
  vi.advanceTimersToNextTimer();
  expect(ring).toHaveBeenCalledOnce();
});

test("a clock that was set back rings at once", () => {
  const ring = vi.fn();
  after(60_000, ring);
  vi.setSystemTime(Date.now() - 3_600_000);
  vi.advanceTimersByTime(5_000);
  expect(ring).toHaveBeenCalledOnce();
});

test("what is cancelled does not ring", () => {
  const ring = vi.fn();
  after(8_000, ring)();
  vi.advanceTimersByTime(60_000);
  expect(ring).not.toHaveBeenCalled();
});

test("full jitter over 2^n seconds, at most 30, on top of what the server asked for", () => {
  const random = vi.spyOn(Math, "random");
  for (const [failures, most] of [
    [0, 1_000],
    [1, 2_000],
    [4, 16_000],
    [5, 30_000],
    [50, 30_000],
  ] as const) {
    random.mockReturnValue(0);
    expect(backoff(failures)).toBe(0);
    expect(backoff(failures, 7_000)).toBe(7_000);
    random.mockReturnValue(0.5);
    expect(backoff(failures)).toBe(most / 2);
    expect(backoff(failures, 7_000)).toBe(7_000 + most / 2);
  }
  random.mockRestore();
});
