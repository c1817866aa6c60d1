/** What happens around a page. `input` is anything the user does in it. */
export type PlatformEvent = "visible" | "hidden" | "input" | "online" | "offline" | "pagehide" | "pageshow";

/** The part of `BroadcastChannel` that tabs need. */
export interface Channel {
  postMessage(message: unknown): void;
  onmessage: ((event: MessageEvent) => void) | null;
  close(): void;
}

/**
 * What the library needs of its surroundings. The default is the browser's, of which Node has little; another
 * serves tests, and hosts that tell of these things in their own way.
 */
export interface Platform {
  /** Whether the user can see the page. True where there is no page. */
  visible(): boolean;
  /** Whether `input` events come at all. */
  readonly hasInput: boolean;
  /** Calls `listener` at each event until the function that is returned is called. `pageshow` only from the bfcache. */
  listen(listener: (event: PlatformEvent) => void): () => void;
  /** Shared by the tabs of a browser, and outlives them. Absent where it is not allowed. */
  readonly storage: Pick<Storage, "getItem" | "setItem" | "removeItem"> | undefined;
  /** Opens a channel between the tabs; undefined where there are none. */
  channel(name: string): Channel | undefined;
  readonly locks: Pick<LockManager, "request"> | undefined;
}

const inputs = ["pointerdown", "pointermove", "keydown", "wheel", "touchstart"];

/** The platform of the page or process that this runs in. */
export function currentPlatform(): Platform {
  const page: Document | undefined = globalThis.document; // absent in Node
  return {
    visible: () => page?.visibilityState !== "hidden",
    hasInput: !!page,
    listen(tell) {
      const stop = new AbortController();
      const on = (target: EventTarget | undefined, type: string, listener: (event: Event) => void) =>
        target?.addEventListener?.(type, listener, { signal: stop.signal, capture: true, passive: true });
      on(page, "visibilitychange", () => tell(page?.visibilityState === "hidden" ? "hidden" : "visible"));
      for (const type of inputs) on(page, type, () => tell("input"));
      on(globalThis, "online", () => tell("online"));
      on(globalThis, "offline", () => tell("offline"));
      on(globalThis, "pagehide", () => tell("pagehide"));
      on(globalThis, "pageshow", (event) => "persisted" in event && event.persisted && tell("pageshow"));
      return () => stop.abort();
    },
    storage: page && allowed(() => globalThis.localStorage),
    channel: (name) => page && allowed(() => new BroadcastChannel(name)),
    locks: page && globalThis.navigator.locks,
  };
}

/** A page in a sandbox, or whose site may store nothing, throws as soon as it looks at what tabs share. */
function allowed<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
