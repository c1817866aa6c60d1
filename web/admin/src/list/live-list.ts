import { signal } from "@preact/signals";
import type { Desk } from "../desk/desk";
import type { Delta, Page, PresenceEvent } from "../presence";
import { everybody, type Filter, type Order } from "./order";
import { Rows } from "./rows";

const headSize = 100;
/** As many as the server gives. */
const pageSize = 500;
/** Heartbeats are no events, so what is shown is read again this often. */
const refreshEveryMs = 5000;
/** How soon an event is drawn: of many in a row, together. */
const drawAfterMs = 100;
/** How soon who comes is put in while nobody reads, so that a burst of them is put in once. */
const settleAfterMs = 300;

/**
 * The list of who is online, kept up to date: while somebody reads, in place; while the list rests at
 * its top, in the server's order. Whoever shows it follows `version`.
 */
export class LiveList {
  /** Moves whenever the rows have changed. */
  readonly version = signal(0);
  readonly state = signal<"loading" | "ready" | "failed">("loading");
  /** What is shown, and in which order. */
  readonly chosen = signal<{ order: Order; filter: Filter }>({ order: "LAST_ACTIVE_DESC", filter: everybody });
  rows = new Rows("LAST_ACTIVE_DESC", everybody);

  readonly #desk: Desk;
  readonly #unlisten: () => void;
  readonly #refreshing: ReturnType<typeof setInterval>;
  #settling: ReturnType<typeof setTimeout> | undefined;
  #drawing: ReturnType<typeof setTimeout> | undefined;
  #reading = false;
  #visible: [from: number, to: number] = [0, 0];
  /** Moves with each new beginning, which makes answers to earlier questions void. */
  #beginning = 0;
  #loadingMore = false;
  /** Events since the oldest question that is open: its answer may be older than they are. */
  #since: PresenceEvent[] = [];
  #open = 0;

  constructor(desk: Desk) {
    this.#desk = desk;
    this.#unlisten = desk.listen((delta) => this.#take(delta));
    this.#refreshing = setInterval(() => void this.#refresh(), refreshEveryMs);
    void this.#begin();
  }

  /** Shows another list, as soon as it is read. */
  choose(order: Order, filter: Filter): void {
    this.chosen.value = { order, filter };
    this.state.value = "loading";
    void this.#begin();
  }

  /** Reads the list again from its top. */
  async reread(): Promise<void> {
    await this.#begin();
  }

  /** Reads the next page, unless that is being done. */
  async more(): Promise<void> {
    const { rows } = this;
    if (this.#loadingMore || rows.complete || rows.endCursor === null) return;
    this.#loadingMore = true;
    const beginning = this.#beginning;
    try {
      const { answer, since } = await this.#page(rows, pageSize);
      if (beginning !== this.#beginning) return;
      rows.append(answer);
      rows.apply(since);
    } catch {
      // the next scroll asks again
    } finally {
      this.#loadingMore = false;
      this.#changed();
    }
  }

  /** Says whether somebody is reading: nothing moves then. */
  setReading(reading: boolean): void {
    if (reading === this.#reading) return;
    this.#reading = reading;
    if (!reading) this.#settleSoon();
  }

  /** Says which rows are on the screen. */
  setVisible(from: number, to: number): void {
    this.#visible = [from, to];
  }

  close(): void {
    this.#unlisten();
    clearInterval(this.#refreshing);
    clearTimeout(this.#settling);
    clearTimeout(this.#drawing);
    this.#beginning++;
  }

  /** With `unasked` only as long as nobody has begun to read meanwhile. */
  async #begin(unasked = false): Promise<void> {
    const beginning = ++this.#beginning;
    const rows = new Rows(this.chosen.value.order, this.chosen.value.filter);
    try {
      const { answer, since } = await this.#page(rows, headSize);
      if (beginning !== this.#beginning || (unasked && this.#reading)) return;
      rows.append(answer);
      rows.apply(since);
      if (!this.#reading) rows.settle();
      this.rows = rows;
      this.state.value = "ready";
    } catch {
      if (beginning !== this.#beginning || this.state.value === "ready") return;
      this.rows = rows;
      this.state.value = "failed";
    }
    this.#changed();
  }

  async #refresh(): Promise<void> {
    if (document.hidden || this.#desk.phase.value.name === "reconnecting") return;
    if (this.#open > 0) return; // a server that is slow to answer is not asked over and over
    if (this.state.value !== "ready") return this.#begin();
    if (!this.#reading) return this.#begin(true);
    const ids: string[] = [];
    const [from, to] = this.#visible;
    for (let place = from; place < to; place++) {
      const row = this.rows.at(place);
      if (row && !row.gone) ids.push(row.user.id);
    }
    if (ids.length === 0) return;
    const { rows } = this;
    try {
      const { answer, since } = await this.#asking(this.#desk.ask(this.#desk.api.users(ids)));
      rows.refresh(answer.filter((user) => user !== null));
      rows.apply(since);
      this.#changed();
    } catch {
      // the next time
    }
  }

  #take({ events, reset }: Delta): void {
    this.rows.apply(events);
    if (this.#open > 0) this.#since.push(...events);
    if (reset) {
      this.rows.missed = true;
      if (!this.#reading) void this.#begin(true);
    }
    if (reset || events.length > 0) this.#drawing ??= setTimeout(() => this.#changed(), drawAfterMs);
    if (!this.#reading) this.#settleSoon();
  }

  #settleSoon(): void {
    this.#settling ??= setTimeout(() => {
      this.#settling = undefined;
      if (this.#reading || !this.rows.unsettled) return;
      this.rows.settle();
      this.#changed();
    }, settleAfterMs);
  }

  /** The page that follows what has been read of rows. */
  #page({ order, filter, endCursor }: Rows, first: number): Promise<{ answer: Page; since: PresenceEvent[] }> {
    return this.#asking(this.#desk.ask(this.#desk.api.page({ first, after: endCursor, order, filter })));
  }

  /** Brings along the events that came while the answer was on its way. */
  async #asking<T>(call: Promise<T>): Promise<{ answer: T; since: PresenceEvent[] }> {
    const from = this.#since.length;
    this.#open++;
    try {
      const answer = await call;
      return { answer, since: this.#since.slice(from) };
    } finally {
      this.#open--;
      if (this.#open === 0) this.#since = [];
    }
  }

  #changed(): void {
    clearTimeout(this.#drawing);
    this.#drawing = undefined;
    this.version.value++;
  }
}
