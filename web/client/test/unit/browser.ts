// A browser in miniature: tabs that share storage, channels and locks.
import type { Channel, Platform, PlatformEvent } from "../../src/platform.js";

export interface BrowserOptions {
  /** `refused`: they are there, and refuse whoever asks, as in a sandbox. */
  locks?: boolean | "refused";
  channels?: boolean;
}

export class FakeBrowser {
  readonly stored = new Map<string, string>();
  readonly #channels = new Set<FakeChannel>();
  readonly #locks = new Map<string, (() => void)[]>();

  constructor(readonly options: BrowserOptions = {}) {}

  open(visible = true) {
    return new FakeTab(this, visible);
  }

  channel(name: string): Channel | undefined {
    if (this.options.channels === false) return undefined;
    const channel = new FakeChannel(name, this.#channels);
    this.#channels.add(channel);
    return channel;
  }

  readonly request = (async (name: string, { signal }: LockOptions, held: () => Promise<unknown>) => {
    if (this.options.locks === "refused") throw new DOMException("no", "SecurityError");
    const queue = this.#locks.get(name) ?? [];
    this.#locks.set(name, queue);
    await new Promise<void>((granted, reject) => {
      queue.push(granted);
      signal?.addEventListener("abort", () => {
        if (queue[0] !== granted && queue.includes(granted)) {
          queue.splice(queue.indexOf(granted), 1);
          reject(signal.reason);
        }
      });
      if (queue[0] === granted) granted();
    });
    await held();
    queue.shift();
    queue[0]?.();
  }) as LockManager["request"];
}

class FakeChannel implements Channel {
  onmessage: ((event: MessageEvent) => void) | null = null;
  constructor(
    readonly name: string,
    readonly all: Set<FakeChannel>,
  ) {}
  postMessage(message: unknown) {
    const data = structuredClone(message);
    const others = [...this.all].filter((other) => other !== this && other.name === this.name);
    for (const other of others)
      queueMicrotask(() => this.all.has(other) && other.onmessage?.({ data } as MessageEvent));
  }
  close() {
    this.all.delete(this);
  }
}

/** One tab, as its page sees it. */
export class FakeTab implements Platform {
  readonly hasInput = true;
  readonly storage: Platform["storage"];
  readonly locks: Platform["locks"];
  readonly #listeners = new Set<(event: PlatformEvent) => void>();

  constructor(
    readonly browser: FakeBrowser,
    private shown: boolean,
  ) {
    const { stored } = browser;
    this.storage = {
      getItem: (key) => stored.get(key) ?? null,
      setItem: (key, value) => void stored.set(key, value),
      removeItem: (key) => void stored.delete(key),
    };
    this.locks = browser.options.locks === false ? undefined : browser;
  }
  visible = () => this.shown;
  listen(listener: (event: PlatformEvent) => void) {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
  channel = (name: string) => this.browser.channel(name);

  /** How many listen to what happens around the page. */
  get listeners() {
    return this.#listeners.size;
  }
  /** Something happens around the page. */
  tell(event: PlatformEvent) {
    if (event === "visible" || event === "hidden") this.shown = event === "visible";
    for (const listener of [...this.#listeners]) listener(event);
  }
}
