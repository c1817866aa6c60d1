// Fake timers for a crowd: vitest's look at every timer for each one that rings, which takes minutes for 5,000 clients.
import { vi } from "vitest";

const idle = globalThis.setImmediate;
/** Whatever was promised by now has come. */
const settled = () => new Promise<void>((done) => idle(done));

/** Timers ring together in steps of so many milliseconds. */
const step = 10;

export class Timers {
  #now = 1_800_000_000_000;
  /** By when they ring. */
  readonly #due = new Map<number, Map<number, () => void>>();
  #lastId = 0;

  /** Takes the place of the global timers and clock; `vi.unstubAllGlobals` and `vi.restoreAllMocks` give them back. */
  install() {
    vi.spyOn(Date, "now").mockImplementation(() => this.#now);
    vi.stubGlobal("setTimeout", (ring: () => void, ms = 0) => {
      const at = Math.ceil((this.#now + Math.max(1, ms)) / step) * step;
      const id = ++this.#lastId;
      const same = this.#due.get(at) ?? new Map<number, () => void>();
      this.#due.set(at, same.set(id, ring));
      return { at, id };
    });
    vi.stubGlobal(
      "clearTimeout",
      (timer?: { at: number; id: number }) => void (timer && this.#due.get(timer.at)?.delete(timer.id)),
    );
  }

  async advance(ms: number) {
    const end = Math.ceil((this.#now + ms) / step) * step;
    await settled();
    while (this.#now < end) {
      const ringing = this.#due.get((this.#now += step));
      this.#due.delete(this.#now);
      if (!ringing?.size) continue;
      for (const [id, ring] of ringing) if (ringing.delete(id)) ring();
      await settled();
    }
  }
}
