import type { RefObject } from "preact";
import { useEffect, useMemo } from "preact/hooks";

/**
 * Whether somebody reads a list: the pointer or the focus is in it, or it is scrolled. Nothing may move
 * then. `changed` is told whenever that changes.
 */
export function useReading(box: RefObject<HTMLElement | null>, changed: (reading: boolean) => void) {
  const state = useMemo(() => new Reading(changed), []);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const stop = new AbortController();
    const on = (type: string, listener: (event: Event) => void) =>
      element.addEventListener(type, listener, { signal: stop.signal });
    // Not pointerenter: the list may appear under a pointer that rests, as after the button of the sign-in, and then
    // nobody hears it. A finger that lifts leaves no pointer behind; the browser says so by pointerleave.
    for (const type of ["pointermove", "pointerdown"]) on(type, () => state.set("pointed", true));
    on("pointerleave", () => state.set("pointed", false));
    on("focusin", () => state.set("focused", true));
    on("focusout", (event) => {
      const to = event instanceof FocusEvent ? event.relatedTarget : null;
      state.set("focused", to instanceof Node && element.contains(to));
    });
    return () => {
      stop.abort();
      state.clear();
    };
  }, [state]);
  return { scrolled: (away: boolean) => state.set("scrolled", away) };
}

type Sign = "pointed" | "focused" | "scrolled";

class Reading {
  readonly #signs = new Set<Sign>();
  readonly #changed: (reading: boolean) => void;

  constructor(changed: (reading: boolean) => void) {
    this.#changed = changed;
  }

  set(sign: Sign, given: boolean): void {
    if (given) this.#signs.add(sign);
    else this.#signs.delete(sign);
    this.#changed(this.#signs.size > 0);
  }

  clear(): void {
    this.#signs.clear();
    this.#changed(false);
  }
}
