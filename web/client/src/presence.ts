import { createActivity } from "./activity.js";
import { after, backoff } from "./clock.js";
import { createClientParts, type Client, type ClientOptions } from "./client.js";
import { createEmitter } from "./emitter.js";
import { asError, passes, RollcallError } from "./error.js";
import { currentPlatform, type Platform } from "./platform.js";
import { keepSession, type Stored } from "./session.js";
import { joinTabs, type Tabs } from "./tabs.js";

/** How this device's presence stands. */
export type PresenceState =
  | { readonly status: "connecting" }
  | { readonly status: "online" }
  /**
   * `connection`: lost, and being sought again; others see the user online until the lease ends. The others are
   * for good: `signedOut` here, `ended` elsewhere or by an administrator, `refused` for the error that was told.
   */
  | { readonly status: "offline"; readonly reason: "connection" | "signedOut" | "ended" | "refused" }
  /** Signed in on another device. For good: this one does not fight back. */
  | { readonly status: "replaced" };

export interface PresenceEvents {
  state: PresenceState;
  online: undefined;
  offline: { reason: "connection" | "signedOut" | "ended" | "refused" };
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
  /** The user did something that the page's events do not show. */
  touch(): void;
  /** Online here again, after the state was one for good. It ends the session of another device. */
  start(): void;
  /** Signs out, in all tabs. */
  stop(): Promise<void>;
}

/** What the tabs tell one another. */
type News = { state: PresenceState } | { error: [code: string, message: string, retryAfterMs: number | undefined] } | "touch";

const goOffline = "mutation($input:GoOfflineInput!){goOffline(input:$input){ended}}";

/** Signs in, and stays online for as long as one of the browser's tabs has it. */
export function createPresence(options: PresenceOptions): Presence {
  const { platform = currentPlatform() } = options;
  const { client, connection } = createClientParts({ ...options, platform });
  const { on, emit } = createEmitter<PresenceEvents>();
  const kept = memory(platform);
  const deviceId = options.deviceId ?? kept("rollcall:device").get() ?? newId();
  if (!options.deviceId) kept("rollcall:device").set(deviceId);

  let state: PresenceState = { status: "connecting" };
  let { userId } = options;
  /** What is running; undefined when this tab has stopped. */
  let run: { tabs?: Tabs; stored?: Stored; stop(final: boolean): void; seen(): void; touch(): void } | undefined;

  function become(next: PresenceState) {
    if (JSON.stringify(next) === JSON.stringify(state)) return;
    state = next;
    if (next.status === "replaced" || (next.status === "offline" && next.reason !== "connection")) halt(true);
    emit("state", next);
    if (next.status === "offline") emit("offline", next);
    else if (next.status !== "connecting") emit(next.status, undefined);
  }
  /**
   * Lets go of everything; the session is left to whoever comes next, or to its lease. After what is `final` nobody
   * shall come next, so a tab that leads does so until the others have heard of it.
   */
  function halt(final = false) {
    run?.stop(final);
    run = undefined;
  }

  async function start() {
    if (run) return;
    away = false;
    let stopped = false;
    let cancel = () => {};
    const mine = (run = { stop: () => ((stopped = true), cancel()), seen() {}, touch() {} } as NonNullable<typeof run>);
    become({ status: "connecting" });
    for (let failures = 0; userId === undefined && !stopped; ) {
      try {
        userId = (await client.query<{ me: { id: string } }>("{me{id}}")).me.id;
      } catch (thrown) {
        const error = asError(thrown);
        if (stopped) return;
        emit("error", error);
        if (!passes(error)) return become({ status: "offline", reason: "refused" });
        const wait = backoff(failures++, error.retryAfterMs);
        await new Promise<void>((resolve) => (cancel = after(wait, resolve)));
      }
    }
    if (!stopped) join(mine, `rollcall:${userId}`);
  }

  function join(mine: NonNullable<typeof run>, name: string) {
    let session: ReturnType<typeof keepSession> | undefined;
    let unlisten = () => {};
    const stored = (mine.stored = kept(name));
    const tell = (news: News) => tabs.tell(news);
    const told = (next: PresenceState) => {
      tell({ state: next });
      become(next);
    };
    const fault = (error: RollcallError) => {
      activity.unsent();
      tell({ error: [error.code, error.message, error.retryAfterMs] });
      emit("error", error);
    };
    const activity = createActivity({
      visible: () => tabs.visible(),
      always: (options.activity ?? (platform.hasInput ? "input" : "visible")) === "visible",
      every: options.activityEveryMs ?? 60_000,
      beat: () => session?.beat(),
    });
    let visible = platform.visible();
    const seen = (mine.seen = () => {
      if (visible === tabs.visible()) return;
      visible = !visible;
      if (visible) activity.touch();
      session?.beat();
    });
    let earlier = true; // until another tab leads, a stored session is an earlier page's
    let toldAt = 0;
    mine.touch = () => {
      if (tabs.leading) return activity.touch();
      if (Date.now() - toldAt < 10_000) return;
      toldAt = Date.now();
      tell("touch");
    };
    function unkeep() {
      unlisten();
      session?.stop();
      session = undefined;
    }
    const tabs = (mine.tabs = joinTabs({
      platform,
      name,
      lead() {
        unlisten = connection.onState(({ status }) => {
          if (status === "waiting") told({ status: "offline", reason: "connection" });
        });
        session = keepSession({
          client,
          connection,
          deviceId,
          stored,
          earlier,
          active: activity.send,
          online: () => told({ status: "online" }),
          failed: fault,
          over(error) {
            if (error.code === "SESSION_REPLACED") return told({ status: "replaced" });
            if (error.code === "SESSION_ENDED") return told({ status: "offline", reason: "ended" });
            fault(error);
            told({ status: "offline", reason: "refused" });
          },
        });
      },
      follow: unkeep,
      hear(heard) {
        const news = heard as News;
        if (news === "touch") activity.touch();
        else if ("error" in news) emit("error", new RollcallError(...news.error));
        else {
          earlier = false;
          become(news.state);
        }
      },
      changed() {
        seen();
        if (session) tell({ state });
      },
    }));
    mine.stop = (final) => {
      const led = session;
      activity.stop();
      unkeep();
      if (final && led) after(1_000, tabs.leave);
      else tabs.leave();
    };
  }

  /** Ends the session, so that nobody has to wait for its lease to end. */
  async function end(stored: Stored | undefined, keepalive: boolean) {
    const session = stored?.get();
    stored?.set(undefined);
    if (session) await client.query(goOffline, { input: { deviceId, session } }, { keepalive });
  }

  let away = false; // in the back/forward cache, perhaps
  platform.listen((event) => {
    if (event === "pageshow" && away) void start();
    if (!run) return;
    if (event === "input" || event === "visible") run.touch();
    if (event === "visible" || event === "hidden") {
      run.tabs?.say();
      run.seen();
    } else if (event === "pagehide") {
      const { tabs, stored } = run;
      const last = tabs?.leading && tabs.alone();
      away = true;
      halt();
      become({ status: "connecting" });
      if (last) end(stored, true).catch(() => {}); // nobody is left to be told; then the lease ends by itself
    }
  });
  void start();

  return {
    client,
    get state() {
      return state;
    },
    deviceId,
    on,
    touch: () => run?.touch(),
    start: () => void start(),
    async stop() {
      const { tabs, stored } = run ?? {};
      const next: PresenceState = { status: "offline", reason: "signedOut" };
      tabs?.tell({ state: next } satisfies News);
      become(next);
      await end(stored, false);
    },
  };
}

/** Values that the browser's tabs share, or this page's own where they may not. */
function memory({ storage }: Platform): (key: string) => Stored {
  const own = new Map<string, string>();
  return (key) => ({
    get() {
      try {
        return storage?.getItem(key) ?? own.get(key);
      } catch {
        return own.get(key);
      }
    },
    set(value) {
      try {
        if (value === undefined) storage?.removeItem(key);
        else storage?.setItem(key, value);
      } catch {
        // full, or forbidden
      }
      if (value === undefined) own.delete(key);
      else own.set(key, value);
    },
  });
}

/** `crypto.randomUUID` is there in secure contexts only. */
const newId = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
