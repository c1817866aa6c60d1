import type { Desk } from "../desk/desk";
import { bytes, count, percent, rate } from "../format";
import { judge, thresholds, type Gauge } from "../thresholds";
import type { Cluster } from "../presence";
import { Meter } from "./meter";
import { Tile } from "./tile";

/** What the store has to carry, each beside its limit. */
export function LoadTiles({ desk }: { desk: Desk }) {
  const cluster = desk.cluster.value;
  if (cluster === null) {
    return (
      <>
        <Tile testId="heartbeats" title="Heartbeats" figure="–" />
        <Tile testId="memory" title="Store memory" figure="–" />
        <Tile testId="subscribers" title="Subscribers" figure="–" />
      </>
    );
  }
  const { heartbeats, memory } = judge(cluster);
  const used = bytes(cluster.usedMemoryBytes);
  const most = bytes(cluster.maxMemoryBytes);
  return (
    <>
      <Tile
        testId="heartbeats"
        title="Heartbeats"
        figure={rate(cluster.heartbeatsPerSecond)}
        unit="/s"
        crossed={heartbeats.crossed}
        note={`${heartbeats.crossed ? "above" : "alert above"} ${count(thresholds.heartbeatsPerSecond)}/s`}
      >
        <Meter
          label="Heartbeats a second"
          gauge={heartbeats}
          full={thresholds.heartbeatsPerSecond * 1.25}
          text={`${rate(cluster.heartbeatsPerSecond)} a second`}
        />
      </Tile>
      <Tile
        testId="memory"
        title="Store memory"
        figure={used}
        crossed={memory.crossed}
        note={memoryNote(cluster, memory)}
      >
        {memory.limit !== null && (
          <Meter label="Store memory" gauge={memory} full={cluster.maxMemoryBytes} text={`${used} of ${most}`} />
        )}
      </Tile>
      <Tile
        testId="subscribers"
        title="Subscribers"
        figure={count(cluster.subscribers)}
        note="of events, on all nodes"
      />
    </>
  );
}

function memoryNote(cluster: Cluster, memory: Gauge): string {
  if (memory.limit === null) return "no limit is set";
  const share = percent(cluster.usedMemoryBytes / cluster.maxMemoryBytes);
  return `${share} of ${bytes(cluster.maxMemoryBytes)}, ${memory.crossed ? "above" : "alert above"} ${percent(thresholds.memoryShare)}`;
}
