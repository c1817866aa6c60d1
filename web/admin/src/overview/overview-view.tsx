import { useEffect, useMemo } from "preact/hooks";
import type { Desk } from "../desk/desk";
import { count, percent, rate } from "../format";
import { judge, thresholds } from "../thresholds";
import { Heading } from "../ui/heading";
import { AreaChart } from "./area-chart";
import { hourMs, OnlineHistory } from "./history";
import { LoadTiles } from "./load-tiles";
import { ShardBars } from "./shard-bars";
import { SparkBars } from "./spark-bars";
import { Tile } from "./tile";

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

function RateTile({
  desk,
  title,
  counts,
  testId,
}: {
  desk: Desk;
  title: string;
  counts: Desk["signIns"];
  testId: string;
}) {
  const now = desk.now.value;
  return (
    <Tile
      testId={testId}
      title={title}
      figure={rate(counts.mean(now, meanSeconds))}
      unit="/s"
      note={`mean of ${meanSeconds} s, seen from here`}
    >
      <SparkBars values={counts.series(now)} />
    </Tile>
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
          <p class="figure" data-testid="online-count">
            {online === null ? "–" : count(online)}
          </p>
        </div>
        <p class="quiet">
          {history.failed.value ? "Last hour, as seen from here: the record can't be read" : "Last hour"}
        </p>
      </header>
      <AreaChart points={history.points.value} from={now - hourMs} to={now} />
    </section>
  );
}

function ShardCard({ desk }: { desk: Desk }) {
  const cluster = desk.cluster.value;
  if (cluster === null) return null;
  const { imbalance } = judge(cluster);
  const limit = percent(thresholds.imbalance);
  const note =
    imbalance.limit === null
      ? cluster.shards.length > 1
        ? "too few users to judge it by"
        : "there is one shard"
      : imbalance.crossed
        ? `above ${limit}`
        : `alert above ${limit}`;
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
