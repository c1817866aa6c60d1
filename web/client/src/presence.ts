import { after, backoff } from "./clock.js";
import { createClientParts, type Client, type ClientOptions } from "./client.js";
import { joinDevice, type DeviceTab, type PresenceState } from "./device.js";
import { createEmitter } from "./emitter.js";
import { asError, passes, type RollcallError } from "./error.js";
import { currentPlatform, type PlatformEvent } from "./platform.js";
import { createStored, storedId, type Stored } from "./stored.js";

export interface PresenceEvents {
  state: PresenceState;
  online: undefined;
  offline: Extract<PresenceState, { status: "offline" }>;
  replaced: undefined;
  /** What went wrong; unless the state says that it is for good, it is being tried again. */
  error: RollcallError;
}

export interface PresenceOptions extends ClientOptions {
  /** Names the device; by default one is made up and kept in the browser's storage. */
  deviceId?: string;
  /** The caller's id, where it is known; else the server is asked. Tabs of one user are one device. */
  userId?: string;
  /**
   * When the user counts as active: `input`, the default of pages, when they do something in one that is in sight;
   * `visible`, the default elsewhere, as long as it is in sight.
   */
  activity?: "input" | "visible";
  /** The least time between two reports of activity, in milliseconds: one minute. */
  activityEveryMs?: number;
}

/** A client whose user is online with it. */
export interface Presence {
  readonly client: Client;
  readonly state: PresenceState;
  readonly deviceId: string;
  /** Calls `listener` at each event, the same in each of the browser's tabs, until what is returned is called. */
  on<K extends keyof PresenceEvents>(event: K, listener: (detail: PresenceEvents[K]) => void): () => void;
  /** The client's. */
  watch: Client["watch"];
  /** The client's. */
  onlineUsers: Client["onlineUsers"];
  /** The user did something that the page's events do not show. */
  touch(): void;
  /** Online here again, after the state was one for good. It ends the session of another device. */
  start(): void;
  /** Signs out, in all tabs. */
  stop(): Promise<void>;
}

/** This tab's part while it takes one; before it has one, what keeps it from that. */
interface Part {
  tab?: DeviceTab;
  stored?: Stored;
  cancel(): void;
}

const goOffline = "mutation($input:GoOfflineInput!){goOffline(input:$input){ended}}";

/** Signs in, and stays online for as long as one of the browser's tabs has it. */
export function createPresence(options: PresenceOptions): Presence {
  const { platform = currentPlatform() } = options;
  const { activity = platform.hasInput ? "input" : "visible", activityEveryMs = 60_000 } = options;
  const { client, connection } = createClientParts({ ...options, platform });
  const { on, emit } = createEmitter<PresenceEvents>();
  const deviceId = options.deviceId ?? storedId(platform);
  let { userId } = options;
  let state: PresenceState = { status: "connecting" };
  let part: Part | undefined;
  let away = false; // in the back/forward cache, perhaps
  let unlisten: (() => void) | undefined;

  function become(next: PresenceState) {
    if (JSON.stringify(next) === JSON.stringify(state)) return;
    state = next;
    if (next.status === "replaced" || (next.status === "offline" && next.reason !== "connection")) {
      leave(true);
      unlisten?.();
      unlisten = undefined;
    }
    emit("state", next);
    if (next.status === "offline") emit("offline", next);
    else if (next.status !== "connecting") emit(next.status, undefined);
  }
  function leave(final: boolean) {
    part?.cancel();
    part?.tab?.leave(final);
    part = undefined;
  }

  const closed = () => connection.state.status === "closed" && !connection.state.reason;

  async function start() {
    if (part || closed()) return;
    let cancelled = false;
    let cancel = () => {};
    const mine: Part = {
      cancel() {
        cancelled = true;
        cancel();
      },
    };
    part = mine;
    away = false;
    unlisten ??= platform.listen(hear);
    become({ status: "connecting" });
    for (let failures = 0; userId === undefined;) {
      try {
        userId = (await client.query<{ me: { id: string } }>("{me{id}}")).me.id;
      } catch (thrown) {
        if (cancelled) return;
        const error = asError(thrown);
        emit("error", error);
        if (!passes(error)) return become({ status: "offline", reason: "refused" });
        await new Promise<void>((resolve) => (cancel = after(backoff(failures++, error.retryAfterMs), resolve)));
      }
    }
    if (cancelled) return;
    const name = `rollcall:${userId}`;
    mine.stored = createStored(platform, name);
    mine.tab = joinDevice({
      client,
      connection,
      platform,
      name,
      deviceId,
      stored: mine.stored,
      always: activity === "visible",
      every: activityEveryMs,
      state: () => state,
      told: become,
      failed: (error) => emit("error", error),
    });
  }

  /** Ends the session, so that nobody has to wait for its lease to end. */
  async function end({ stored }: Part, keepalive: boolean) {
    const session = stored?.get();
    stored?.set(undefined); // first, so that a tab that is opened now signs in
    if (session) await client.query(goOffline, { input: { deviceId, session } }, { keepalive });
  }

  function hear(event: PlatformEvent) {
    if (event === "pageshow" && away) void start();
    if (!part) return;
    if (event === "input" || event === "visible") part.tab?.touch();
    if (event === "visible" || event === "hidden") part.tab?.shown();
    if (event === "pagehide") {
      const gone = part;
      const last = gone.tab?.last;
      away = true;
      leave(false);
      become({ status: "connecting" });
      if (last) end(gone, true).catch(() => {}); // nobody is left to be told, and the lease ends by itself
    }
  }
  connection.onState(() => {
    if (!closed() || !(part || away)) return;
    away = false;
    leave(false);
    become({ status: "offline", reason: "closed" });
  });
  void start();

  return {
    client,
    get state() {
      return state;
    },
    deviceId,
    on,
    watch: client.watch,
    onlineUsers: client.onlineUsers,
    touch: () => part?.tab?.touch(),
    start: () => void start(),
    async stop() {
      const ended = part;
      const next: PresenceState = { status: "offline", reason: "signedOut" };
      ended?.tab?.tell(next);
      become(next);
      if (ended) await end(ended, false);
    },
  };
}
