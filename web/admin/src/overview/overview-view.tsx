import type { ComponentChildren } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import type { Desk } from "../desk/desk";
import { bytes, count, percent, rate } from "../format";
import type { Cluster } from "../presence";
import { judge, thresholds } from "../thresholds";
import { Heading } from "../ui/heading";
import { AreaChart } from "./area-chart";
import { hourMs, OnlineHistory } from "./history";
import { Meter } from "./meter";
import { ShardBars } from "./shard-bars";
import { SparkBars } from "./spark-bars";

/** Over how many seconds a rate is the mean. */
const meanSeconds = 10;

/** The whole at a glance: how many, how that moves, and what the store has to carry. */
export function OverviewView({ desk }: { desk: Desk }) {
  return (
    <div class="page">
      <header>
        <Heading>Overview</Heading>
      </header>
      <HistoryCard desk={desk} />
      <div class="tiles">
        <RateTile desk={desk} title="Sign-ins" counts={desk.signIns} testId="sign-ins" />
        <RateTile desk={desk} title="Expiries" counts={desk.expiries} testId="expiries" />
        <LoadTiles desk={desk} />
      </div>
      <ShardCard desk={desk} />
    </div>
  );
}

function Tile({ title, figure, unit, note, crossed = false, testId, children }: {
  title: string;
  figure: string;
  unit?: string;
  note?: string;
  crossed?: boolean;
  testId: string;
  children?: ComponentChildren;
}) {
  return (
    <section class={crossed ? "card tile crossed" : "card tile"} data-testid={testId} aria-label={title}>
      <h2 class="quiet">{title}</h2>
      <p class="figure">
        {figure}
        {unit && <span class="unit">{unit}</span>}
      </p>
      {children}
      {note && <p class="note">{note}</p>}
    </section>
  );
}

function RateTile({ desk, title, counts, testId }: { desk: Desk; title: string; counts: Desk["signIns"]; testId: string }) {
  const now = desk.now.value;
  return (
    <Tile testId={testId} title={title} figure={rate(counts.mean(now, meanSeconds))} unit="/s" note={`mean of ${meanSeconds} s, seen from here`}>
      <SparkBars values={counts.series(now)} />
    </Tile>
  );
}

function LoadTiles({ desk }: { desk: Desk }) {
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
  const { heartbeats, memory } = judgeCluster(cluster);
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
        <Meter label="Heartbeats a second" gauge={heartbeats} full={thresholds.heartbeatsPerSecond * 1.25} text={`${rate(cluster.heartbeatsPerSecond)} a second`} />
      </Tile>
      <Tile
        testId="memory"
        title="Store memory"
        figure={used}
        crossed={memory.crossed}
        note={memory.limit === null ? "no limit is set" : `${percent(cluster.usedMemoryBytes / cluster.maxMemoryBytes)} of ${most}, ${memory.crossed ? "above" : "alert above"} ${percent(thresholds.memoryShare)}`}
      >
        {memory.limit !== null && <Meter label="Store memory" gauge={memory} full={cluster.maxMemoryBytes} text={`${used} of ${most}`} />}
      </Tile>
      <Tile testId="subscribers" title="Subscribers" figure={count(cluster.subscribers)} note="of events, on all nodes" />
    </>
  );
}

function HistoryCard({ desk }: { desk: Desk }) {
  const history = useMemo(() => new OnlineHistory(desk), [desk]);
  useEffect(() => () => history.close(), [history]);
  const now = desk.now.value;
  const online = desk.online.value;
  return (
    <section class="card panel" aria-label="Online now" data-testid="online">
      <header>
        <div>
          <h2 class="quiet">Online now</h2>
          <p class="figure" data-testid="online-count">{online === null ? "–" : count(online)}</p>
        </div>
        <p class="quiet">{history.failed.value ? "Last hour, as seen from here: the record can't be read" : "Last hour"}</p>
      </header>
      <AreaChart points={history.points.value} from={now - hourMs} to={now} />
    </section>
  );
}

function ShardCard({ desk }: { desk: Desk }) {
  const cluster = desk.cluster.value;
  if (cluster === null) return null;
  const { imbalance } = judgeCluster(cluster);
  const limit = percent(thresholds.imbalance);
  const note =
    imbalance.limit === null
      ? cluster.shards.length > 1 ? "too few users to judge it by" : "there is one shard"
      : imbalance.crossed ? `above ${limit}` : `alert above ${limit}`;
  return (
    <section class={imbalance.crossed ? "card panel crossed" : "card panel"} aria-label="Shards" data-testid="shards">
      <header>
        <h2>Shards</h2>
        <p class="quiet">
          imbalance <strong class="value">{percent(cluster.imbalance)}</strong>, {note}
        </p>
      </header>
      <ShardBars shards={cluster.shards} gauge={imbalance} />
    </section>
  );
}

const judgeCluster = (cluster: Cluster) => judge({ ...cluster, shards: cluster.shards.length });

/** Whether the store is beyond any limit. */
export function alarming(cluster: Cluster | null): boolean {
  return cluster !== null && Object.values(judgeCluster(cluster)).some((gauge) => gauge.crossed);
}
