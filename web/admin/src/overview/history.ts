import { signal } from "@preact/signals";
import type { Desk } from "../desk/desk";
import type { Point } from "./scale";

export const hourMs = 3600_000;
const readEveryMs = 60_000;

/** The online count of the last hour: as the server has recorded it, and since then as it was told. */
export class OnlineHistory {
  readonly points = signal<readonly Point[]>([]);
  /** The server's record could not be read. */
  readonly failed = signal(false);
  readonly #desk: Desk;
  readonly #stops: (() => void)[];
  #recorded: Point[] = [];
  #seen: Point[] = [];

  constructor(desk: Desk) {
    this.#desk = desk;
    const reading = setInterval(() => void this.#read(), readEveryMs);
    this.#stops = [
      () => clearInterval(reading),
      desk.online.subscribe(() => this.#see()),
      desk.clockSet.subscribe((times) => {
        if (times === 0) return;
        this.#see();
        void this.#read();
      }),
    ];
  }

  close(): void {
    this.#stops.forEach((stop) => stop());
  }

  async #read(): Promise<void> {
    try {
      const recorded = await this.#desk.ask(this.#desk.api.history(this.#desk.clock.now() - hourMs));
      this.#recorded = recorded.map(({ at, average }) => ({ at, value: average }));
      this.failed.value = false;
    } catch {
      this.failed.value = true;
    }
    this.#publish();
  }

  /** By a clock that is not set yet there is no saying when. */
  #see(): void {
    const value = this.#desk.online.peek();
    if (value === null || this.#desk.clockSet.peek() === 0) return;
    this.#seen.push({ at: this.#desk.clock.now(), value });
    this.#publish();
  }

  #publish(): void {
    const since = this.#desk.clock.now() - hourMs;
    this.points.value = join(this.#recorded, this.#seen, since);
    this.#seen = this.#seen.filter((point) => point.at >= since);
  }
}

/** The recorded points and, after them, what was seen: at most one point in five seconds, the newest always. */
export function join(recorded: readonly Point[], seen: readonly Point[], since: number): Point[] {
  const points = recorded.filter((point) => point.at >= since);
  for (const [i, point] of seen.entries()) {
    const last = points.at(-1);
    const newest = i === seen.length - 1;
    if (point.at >= since && (last === undefined || point.at - last.at >= 5000 || (newest && point.at > last.at)))
      points.push(point);
  }
  return points;
}
