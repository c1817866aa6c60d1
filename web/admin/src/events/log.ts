import type { PresenceEvent } from "../presence";

/** A line of the event stream, by its number: an event, or a mark where the stream was interrupted. */
export type Entry = { seq: number } & (
  | { kind: "event"; event: PresenceEvent }
  /** Events may be missing between the lines before and after. */
  | { kind: "gap"; at: number }
  /** The connection was lost for a while, and nothing was missed. */
  | { kind: "resumed"; at: number; lostMs: number }
);

/** A line before it has a number. */
type Line = Entry extends infer E ? (E extends Entry ? Omit<E, "seq"> : never) : never;

/** The last lines of the event stream that somebody wants to see, in bounded memory. */
export class EventLog {
  readonly capacity: number;
  readonly #accepts: (event: PresenceEvent) => boolean;
  /** The oldest first; up to twice the capacity, so that it is cut once in a while and not for each line. */
  #entries: Entry[] = [];
  #last = 0;

  constructor(capacity: number, accepts: (event: PresenceEvent) => boolean = () => true) {
    this.capacity = capacity;
    this.#accepts = accepts;
  }

  /** The number of the newest line; 0 before the first. */
  get last(): number {
    return this.#last;
  }

  push(events: readonly PresenceEvent[]): void {
    for (const event of events) {
      if (this.#accepts(event)) this.#add({ kind: "event", event });
    }
  }

  gap(at: number): void {
    this.#add({ kind: "gap", at });
  }

  resumed(at: number, lostMs: number): void {
    this.#add({ kind: "resumed", at, lostMs });
  }

  /** The lines that are kept, the newest first. */
  newestFirst(): Entry[] {
    return this.#entries.slice(-this.capacity).reverse();
  }

  /** A log of those lines that are wanted, with what this one still has of them. */
  narrowed(capacity: number, accepts: (event: PresenceEvent) => boolean): EventLog {
    const log = new EventLog(capacity, accepts);
    for (const entry of this.#entries) {
      if (entry.kind !== "event") log.#add(entry);
      else if (accepts(entry.event)) log.#add(entry);
    }
    return log;
  }

  #add(line: Line): void {
    this.#last++;
    this.#entries.push({ ...line, seq: this.#last });
    if (this.#entries.length >= 2 * this.capacity) this.#entries = this.#entries.slice(-this.capacity);
  }
}
