/**
 * The server's clock, as far as the page can tell. Whatever time the server names has passed there when it
 * arrives here, so that each is a lower bound of how far its clock is ahead of ours; the highest is off
 * by no more than the quickest answer took. Ours is one that nobody sets.
 */
export class ServerClock {
  #offset = Number.NEGATIVE_INFINITY;
  readonly #localNow: () => number;

  constructor(localNow = () => performance.timeOrigin + performance.now()) {
    this.#localNow = localNow;
  }

  /** Takes note of a time that the server has named just now. */
  observe(at: number): void {
    this.#offset = Math.max(this.#offset, at - this.#localNow());
  }

  /** Forgets what it knew, since our own clock may have stood still with the machine; `at` is the server's time now, or before. */
  restart(at: number): void {
    this.#offset = at - this.#localNow();
  }

  /** The server's time; ours until the server has named one. */
  now(): number {
    return this.#localNow() + (Number.isFinite(this.#offset) ? this.#offset : 0);
  }
}
