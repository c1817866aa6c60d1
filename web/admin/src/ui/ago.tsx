import type { ReadonlySignal } from "@preact/signals";
import { ago, moment } from "../format";

/** "12 s ago", ticking by the server's clock. */
export function Ago({ at, now }: { at: number | null; now: ReadonlySignal<number> }) {
  if (at === null)
    return (
      <span class="quiet" title="No activity is known">
        –
      </span>
    );
  return (
    <time dateTime={new Date(at).toISOString()} title={new Date(at).toLocaleString()}>
      {ago(at, now.value)}
    </time>
  );
}

/** "since 16:04". */
export function Since({ at, now }: { at: number | null; now: ReadonlySignal<number> }) {
  if (at === null) return <span class="quiet">–</span>;
  return (
    <time dateTime={new Date(at).toISOString()} title={new Date(at).toLocaleString()}>
      {moment(at, now.value)}
    </time>
  );
}
