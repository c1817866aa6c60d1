import { count } from "../format";
import type { Cluster } from "../presence";
import type { Gauge } from "../thresholds";

/** The users of each shard side by side, with the mean, and the height at which the largest would be too much for the smallest. */
export function ShardBars({ shards, gauge }: { shards: Cluster["shards"]; gauge: Gauge }) {
  const sizes = shards.map((shard) => shard.online);
  const mean = sizes.reduce((sum, n) => sum + n, 0) / Math.max(1, sizes.length);
  const least = Math.min(...sizes);
  const ceiling = gauge.limit === null ? null : least + gauge.limit * mean;
  const full = Math.max(...sizes, ceiling ?? 0, 1) * 1.08;
  const height = (n: number) => `${(n / full) * 100}%`;

  return (
    <div class="shards">
      <div class="plot">
        <ul aria-label="Online users by shard">
          {shards.map(({ index, online }) => (
            <li
              key={index}
              title={`Shard ${index}: ${count(online)}`}
              class={ceiling !== null && online > ceiling ? "crossed" : ""}
            >
              <span class="bar-of" style={{ height: height(online) }} />
              <span class="unseen">{`Shard ${index}: ${count(online)}`}</span>
            </li>
          ))}
        </ul>
        <span class="rule mean" style={{ bottom: height(mean) }} aria-hidden="true" />
        {ceiling !== null && <span class="rule limit" style={{ bottom: height(ceiling) }} aria-hidden="true" />}
      </div>
      <p class="legend" aria-hidden="true">
        <span class="key mean" /> mean {count(mean)}
        {ceiling !== null && (
          <>
            <span class="key limit" /> limit of the largest {count(ceiling)}
          </>
        )}
        <span class="ends">
          shard {shards[0]?.index ?? 0} to {shards.at(-1)?.index ?? 0}
        </span>
      </p>
    </div>
  );
}
