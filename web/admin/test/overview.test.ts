import { describe, expect, test } from "vitest";
import { SecondCounts } from "../src/overview/rates";
import { alarming, judge, thresholds, type Load } from "../src/thresholds";

describe("counts by the second", () => {
  test("whole seconds only, the oldest first", () => {
    const counts = new SecondCounts(4);
    counts.add(10_100);
    counts.add(10_900, 2);
    counts.add(12_000);
    counts.add(13_500, 9); // the second that is not over
    expect(counts.series(13_999)).toEqual([0, 3, 0, 1]);
    expect(counts.mean(13_999, 2)).toBe(0.5);
    expect(counts.series(14_000)).toEqual([3, 0, 1, 9]);
  });

  test("what is late is counted where it belongs, and what is too old not at all", () => {
    const counts = new SecondCounts(3);
    counts.add(20_000);
    counts.add(18_000, 5);
    counts.add(3_000, 7);
    expect(counts.series(21_000)).toEqual([5, 0, 1]);
  });

  test("a long silence leaves zeros", () => {
    const counts = new SecondCounts(3);
    counts.add(1_000, 7);
    expect(counts.series(900_000)).toEqual([0, 0, 0]);
  });
});

const shards = (count: number) => Array.from({ length: count }, (_, index) => ({ index, online: 0 }));

describe("limits", () => {
  const calm: Load = {
    usedMemoryBytes: 1,
    maxMemoryBytes: 100,
    heartbeatsPerSecond: 1,
    imbalance: 0.1,
    online: 10_000,
    shards: shards(16),
  };

  test("nothing is crossed on a calm day", () => {
    const { memory, heartbeats, imbalance } = judge(calm);
    expect([memory.crossed, heartbeats.crossed, imbalance.crossed]).toEqual([false, false, false]);
    expect(memory.limit).toBe(80);
    expect(alarming(calm)).toBe(false);
  });

  test("each is crossed beyond its limit, and not at it", () => {
    const at = judge({ ...calm, usedMemoryBytes: 80, heartbeatsPerSecond: 5000, imbalance: 0.3 });
    expect([at.memory.crossed, at.heartbeats.crossed, at.imbalance.crossed]).toEqual([false, false, false]);
    const beyond = judge({ ...calm, usedMemoryBytes: 81, heartbeatsPerSecond: 5001, imbalance: 0.31 });
    expect([beyond.memory.crossed, beyond.heartbeats.crossed, beyond.imbalance.crossed]).toEqual([true, true, true]);
    expect(alarming({ ...calm, imbalance: 0.31 })).toBe(true);
  });

  test("memory without a bound has no limit", () => {
    expect(judge({ ...calm, usedMemoryBytes: 1e12, maxMemoryBytes: 0 }).memory).toMatchObject({
      limit: null,
      crossed: false,
    });
  });

  test("an imbalance of few users, or of one shard, says nothing", () => {
    const few = { ...calm, imbalance: 3, online: 16 * thresholds.leastPerShard - 1 };
    expect(judge(few).imbalance).toMatchObject({ limit: null, crossed: false });
    expect(judge({ ...calm, imbalance: 3, shards: shards(1) }).imbalance.limit).toBeNull();
  });
});
