// What happens to pages in the field, done to them here. Those that are init scripts run in the page, before its own.

/**
 * Init script: no WebSocket opens, as behind a proxy that does not let them through.
 */
export function blockWebSocket() {
  class Blocked {
    /** @type {((event: Event) => void) | null} */
    onerror = null;
    /** @type {((event: CloseEvent) => void) | null} */
    onclose = null;
    constructor() {
      queueMicrotask(() => {
        this.onerror?.(new Event("error"));
        this.onclose?.(new CloseEvent("close", { code: 1006 }));
      });
    }
    send() {}
    close() {}
  }
  Object.assign(globalThis, { WebSocket: Blocked });
}

/**
 * Init script: the page can be hidden by {@link setHidden}. While it is, its timers ring once a minute only, as
 * Chromium has it for pages that were hidden for a while.
 *
 * @param {number} minuteMs how long a minute is
 */
export function hideable(minuteMs) {
  let hidden = false;
  /** What would have rung since the last time that they rang. @type {Map<number, () => void>} */
  const due = new Map();
  const native = {
    setTimeout: setTimeout.bind(globalThis),
    setInterval: setInterval.bind(globalThis),
    clearTimeout: clearTimeout.bind(globalThis),
    clearInterval: clearInterval.bind(globalThis),
  };

  function ring() {
    const all = [...due.values()];
    due.clear();
    for (const each of all) each();
  }
  native.setInterval(ring, minuteMs);

  for (const kind of /** @type {const} */ (["Timeout", "Interval"])) {
    Object.assign(globalThis, {
      [`set${kind}`](/** @type {(...args: unknown[]) => void} */ run, ms = 0, /** @type {unknown[]} */ ...args) {
        const id = Number(native[`set${kind}`](() => (hidden ? due.set(id, () => run(...args)) : run(...args)), ms));
        return id;
      },
      [`clear${kind}`](/** @type {number} */ id) {
        due.delete(id);
        native[`clear${kind}`](id);
      },
    });
  }

  Object.defineProperty(document, "hidden", { get: () => hidden });
  Object.defineProperty(document, "visibilityState", { get: () => (hidden ? "hidden" : "visible") });
  addEventListener("test:hide", (event) => {
    hidden = event instanceof CustomEvent && event.detail === true;
    document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
    if (!hidden) ring();
  });
}

/**
 * Hides a page, or brings it into sight.
 *
 * @param {import("playwright-core").Page} page one that is {@link hideable}
 * @param {boolean} hidden
 */
export async function setHidden(page, hidden) {
  await page.evaluate((detail) => dispatchEvent(new CustomEvent("test:hide", { detail })), hidden);
}
