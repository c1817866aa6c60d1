/**
 * Counts things by the second over the last while, in constant space. Seconds are those of the clock that
 * the callers give.
 */
export class SecondCounts {
  readonly #counts: number[];
  /** The newest second that has a place in #counts. */
  #newest = 0;

  /** Keeps `seconds` whole seconds besides the current one. */
  constructor(seconds: number) {
    this.#counts = new Array<number>(seconds + 1).fill(0);
  }

  /** Counts `n` things at a time; those too old to be kept are not counted. */
  add(at: number, n = 1): void {
    const second = Math.floor(at / 1000);
    this.#moveTo(second);
    if (second > this.#newest - this.#counts.length) this.#counts[this.#place(second)]! += n;
  }

  /** The counts of the last whole seconds before `now`, the oldest first. */
  series(now: number): number[] {
    const current = Math.floor(now / 1000);
    this.#moveTo(current);
    return Array.from({ length: this.#counts.length - 1 }, (_, i) => {
      const second = current - this.#counts.length + 1 + i;
      return second > this.#newest - this.#counts.length ? this.#counts[this.#place(second)]! : 0;
    });
  }

  /** The mean a second over the last `seconds` whole seconds before `now`. */
  mean(now: number, seconds: number): number {
    const recent = this.series(now).slice(-seconds);
    return recent.reduce((sum, n) => sum + n, 0) / seconds;
  }

  #moveTo(second: number): void {
    if (second <= this.#newest) return;
    const steps = Math.min(second - this.#newest, this.#counts.length);
    for (let i = 0; i < steps; i++) this.#counts[this.#place(second - i)] = 0;
    this.#newest = second;
  }

  #place(second: number): number {
    return second % this.#counts.length;
  }
}
