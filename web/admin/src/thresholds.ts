import type { Cluster } from "./presence";

/**
 * The limits at which an operator should look: the same as the service's alerts have. Drawn in the
 * overview, which turns red beyond them.
 */
export const thresholds = {
  /** The store's memory, as a share of what it may use. */
  memoryShare: 0.8,
  /** Accepted heartbeats a second, on all nodes together. */
  heartbeatsPerSecond: 5000,
  /** (largest - smallest) / mean online of the shards. */
  imbalance: 0.3,
  /** Mean online users a shard below which chance alone makes such an imbalance, so that it says nothing. */
  leastPerShard: 150,
} as const;

/** The numbers that have a limit. */
export type Load = Pick<
  Cluster,
  "usedMemoryBytes" | "maxMemoryBytes" | "heartbeatsPerSecond" | "imbalance" | "online" | "shards"
>;

/** One number beside its limit. */
export interface Gauge {
  value: number;
  /** Null where there is none to hold it against. */
  limit: number | null;
  crossed: boolean;
}

const gauge = (value: number, limit: number | null): Gauge => ({
  value,
  limit,
  crossed: limit !== null && value > limit,
});

/** Holds each number against its limit. */
export function judge(load: Load) {
  const telling = load.shards.length > 1 && load.online / load.shards.length >= thresholds.leastPerShard;
  return {
    memory: gauge(load.usedMemoryBytes, load.maxMemoryBytes > 0 ? load.maxMemoryBytes * thresholds.memoryShare : null),
    heartbeats: gauge(load.heartbeatsPerSecond, thresholds.heartbeatsPerSecond),
    imbalance: gauge(load.imbalance, telling ? thresholds.imbalance : null),
  };
}

/** Whether any limit is crossed. */
export const alarming = (load: Load): boolean => Object.values(judge(load)).some((gauge) => gauge.crossed);
