import { VirtualList } from "../ui/virtual-list";
import { EventRow } from "./event-row";
import type { Entry } from "./log";

/** A line's height in CSS pixels; events.css has it too. */
const rowHeight = 40;

/** Lines of the event stream, the newest first. */
export function EventList({ entries, empty }: { entries: readonly Entry[]; empty: string }) {
  if (entries.length === 0) return <div class="nothing">{empty}</div>;
  return (
    <div class="table" role="table" aria-label="Events" aria-rowcount={entries.length}>
      <VirtualList
        count={entries.length}
        rowHeight={rowHeight}
        row={(place, top) => {
          const entry = entries[place];
          return entry && <EventRow key={entry.seq} entry={entry} place={place} top={top} />;
        }}
      />
    </div>
  );
}
