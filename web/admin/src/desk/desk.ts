import { computed, signal } from "@preact/signals";
import { RollcallError } from "@rollcall/client";
import type { Api, Link } from "../api/api";
import { ServerClock } from "../connection/clock";
import { learn, phaseOf, unknown, type News } from "../connection/health";
import { EventLog } from "../events/log";
import { SecondCounts } from "../overview/rates";
import type { Cluster, Delta } from "../presence";

/** How many lines the event stream keeps. */
const logCapacity = 2000;
/** For how many seconds sign-ins and expiries are kept by the second. */
const rateSeconds = 120;
const clusterEveryMs = 2000;
/** How often the page draws what has happened, at most; events are taken in at once. */
const drawEveryMs = 250;

/**
 * What a signed-in console knows and keeps up to date for all its views, by one subscription to all
 * events. It lives from sign-in to sign-out, so that changing the view loses nothing.
 */
export class Desk {
  readonly api: Api;
  readonly clock = new ServerClock();
  readonly log = new EventLog(logCapacity);
  readonly signIns = new SecondCounts(rateSeconds);
  readonly expiries = new SecondCounts(rateSeconds);

  /** The server's time, moving by the second. */
  readonly now = signal(this.clock.now());
  /** Moves when the clock was set by the server's, or could not be. 0: it is our own so far, which may be any. */
  readonly clockSet = signal(0);
  readonly online = signal<number | null>(null);
  readonly cluster = signal<Cluster | null>(null);
  /** Moves when the log has. */
  readonly told = signal(0);
  readonly #health = signal(unknown);
  readonly phase = computed(() => phaseOf(this.#health.value));

  readonly #listeners = new Set<(delta: Delta) => void>();
  readonly #logs = new Set([this.log]);
  readonly #timers: ReturnType<typeof setInterval>[] = [];
  /** Whether deltas come: from the first one of a connection on nothing is missed. */
  #following = false;
  /** Since when they don't, after they did. */
  #lostAt: number | null = null;
  #drawing: ReturnType<typeof setTimeout> | undefined;
  #readingCluster = false;
  #closed = false;

  constructor(api: Api) {
    this.api = api;
    api.onLink((link) => this.#takeLink(link));
    api.watch(
      (delta) => this.#take(delta),
      (error) => this.#fail(error),
    );
    api.watchCount(
      (online) => {
        this.online.value = online;
        this.#learn({ kind: "answered" });
      },
      (error) => this.#fail(error),
    );
    this.#every(1000, () => (this.now.value = this.clock.now()));
    this.#every(clusterEveryMs, () => void this.#readCluster());
  }

  /** Makes a call, and learns from its outcome how the server is. Fails as the call does. */
  async ask<T>(call: Promise<T>): Promise<T> {
    try {
      const answer = await call;
      this.#learn({ kind: "answered" });
      return answer;
    } catch (error) {
      if (error instanceof RollcallError) this.#fail(error);
      throw error;
    }
  }

  /** Tells of each delta, until the returned function is called. */
  listen(next: (delta: Delta) => void): () => void {
    this.#listeners.add(next);
    return () => void this.#listeners.delete(next);
  }

  /** Has a log of its own follow the stream too, until the returned function is called. */
  follow(log: EventLog): () => void {
    this.#logs.add(log);
    return () => void this.#logs.delete(log);
  }

  close(): void {
    this.#closed = true;
    this.#timers.forEach(clearInterval);
    clearTimeout(this.#drawing);
    this.#listeners.clear();
    this.api.close();
  }

  #takeLink(link: Link): void {
    if (this.#closed) return;
    if (link.state === "open") void this.#setClock();
    else if (this.#following) {
      this.#following = false;
      this.#lostAt = Date.now();
    }
    // Open is what it is called once deltas come.
    this.#learn({ kind: "link", link: link.state === "open" ? { state: "connecting" } : link, at: Date.now() });
  }

  #take(delta: Delta): void {
    if (!this.#following) {
      this.#following = true;
      this.#learn({ kind: "link", link: { state: "open" }, at: Date.now() });
      void this.#readCluster();
    }
    this.#write(delta);
    for (const event of delta.events) {
      this.clock.observe(event.at);
      if (event.type === "ONLINE") this.signIns.add(event.at);
      if (event.reason === "EXPIRED") this.expiries.add(event.at);
    }
    this.#listeners.forEach((next) => next(delta));
    this.#drawing ??= setTimeout(() => {
      this.#drawing = undefined;
      this.told.value++;
    }, drawEveryMs);
  }

  #write({ events, reset }: Delta): void {
    const at = this.clock.now();
    const lostMs = this.#lostAt === null ? null : Date.now() - this.#lostAt;
    this.#lostAt = null;
    for (const log of this.#logs) {
      if (reset) log.gap(at);
      else if (lostMs !== null) log.resumed(at, lostMs);
      log.push(events);
    }
  }

  async #readCluster(): Promise<void> {
    if (document.hidden || this.#readingCluster || this.#health.value.link !== "open") return;
    this.#readingCluster = true;
    try {
      this.cluster.value = await this.ask(this.api.cluster());
    } catch {
      // ask has learnt from it; what was read last goes on being shown
    } finally {
      this.#readingCluster = false;
    }
  }

  async #setClock(): Promise<void> {
    try {
      this.clock.restart(await this.api.serverTime());
      this.now.value = this.clock.now();
    } catch {
      // events will tell the time as well
    }
    this.clockSet.value++;
  }

  #fail({ code, message }: RollcallError): void {
    this.#learn({ kind: "failed", code, message, at: Date.now() });
  }

  #learn(news: News): void {
    if (!this.#closed) this.#health.value = learn(this.#health.value, news);
  }

  #every(ms: number, act: () => void): void {
    this.#timers.push(setInterval(act, ms));
  }
}
