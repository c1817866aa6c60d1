import { after, backoff } from "./clock.js";
import { asError, networkError, type RollcallError } from "./error.js";
import { createEmitter } from "./emitter.js";
import type { Link, LinkKind, Lost } from "./link.js";
import type { Platform, PlatformEvent } from "./platform.js";

/** How the connection stands. It is `idle` while nothing is subscribed. */
export type ConnectionState =
  | { readonly status: "idle" }
  | { readonly status: "connecting" }
  | { readonly status: "open"; readonly transport: LinkKind }
  /** `retryAt` is a time of this machine's clock, in Unix milliseconds. */
  | { readonly status: "waiting"; readonly retryAt: number; readonly reason: RollcallError }
  /** For good, or until something is subscribed again with a token that is accepted. */
  | { readonly status: "closed"; readonly reason?: RollcallError };

/** What a connection carries: started on each new link, and stopped when that is lost. */
export interface Task {
  start(link: Link): () => void;
  /** The connection is closed; without an error, since its owner wanted that. */
  end(reason: RollcallError | undefined): void;
}

/** One way to the server for any number of tasks, opened when there is one and again whenever it is lost. */
export interface Connection {
  readonly state: ConnectionState;
  onState(listener: (state: ConnectionState) => void): () => void;
  /** Carries a task until the function that is returned is called. */
  run(task: Task): () => void;
  close(): void;
}

export interface ConnectionOptions {
  transport: "auto" | LinkKind;
  platform: Platform;
  open(kind: LinkKind, lost: Lost): Promise<Link>;
}

/** A socket that worked before has to fail so often before it counts as blocked. */
const failuresUntilBlocked = 3;
/** How long WebSockets count as blocked before they are tried again: doubled each time up to the most. In milliseconds. */
const blockedFor = { least: 15_000, most: 300_000 };
/** A link that lived for so long was a good one: the next failure is the first again. In milliseconds. */
const goodAfter = 10_000;

export function createConnection({ transport, platform, open }: ConnectionOptions): Connection {
  const states = createEmitter<{ state: ConnectionState }>();
  const tasks = new Map<Task, (() => void) | undefined>();
  let state: ConnectionState = { status: "idle" };
  let link: Link | undefined;
  let openedAt = 0;
  let failures = 0;
  let refusals = 0; // of tokens, in a row
  let cancel = () => {}; // the next try, or the next look for a WebSocket
  let round = 0; // of opening; an answer to an earlier round comes too late
  let unlisten: (() => void) | undefined;

  // What is known of WebSockets here.
  let worked = false;
  let failed = 0;
  let blocked = false;
  let probes = 0;

  function become(next: ConnectionState) {
    state = next;
    states.emit("state", next);
  }

  async function connect() {
    cancel();
    const mine = ++round;
    const kind = transport === "auto" ? (blocked ? "sse" : "websocket") : transport;
    become({ status: "connecting" });
    let opened: Link;
    try {
      opened = await open(kind, (error) => {
        if (mine === round) lost(error);
      });
    } catch (thrown) {
      if (mine === round) notOpened(kind, asError(thrown));
      return;
    }
    if (mine === round) use(opened);
    else opened.close();
  }

  function use(opened: Link) {
    link = opened;
    openedAt = Date.now();
    refusals = 0;
    if (link.kind === "websocket") [worked, failed, blocked, probes] = [true, 0, false, 0];
    else probeLater();
    become({ status: "open", transport: link.kind });
    for (const task of tasks.keys()) start(task);
  }

  function probeLater() {
    if (transport !== "auto") return;
    const wait = Math.min(blockedFor.most, blockedFor.least * 2 ** probes++);
    cancel = after(wait * (0.5 + Math.random()), probe);
  }

  /** Looks whether WebSockets work by now. */
  async function probe() {
    const before = round;
    let mine = -1;
    const opened = await open("websocket", (error) => {
      if (mine === round) lost(error);
    }).catch(() => undefined);
    if (!opened) {
      if (before === round) probeLater();
    } else if (before === round && link) {
      drop();
      mine = round;
      use(opened);
    } else {
      opened.close();
    }
  }

  function start(task: Task) {
    if (link && tasks.has(task)) tasks.set(task, task.start(link));
  }

  /** Lets go of the link, and of one that is being opened. */
  function drop() {
    cancel();
    round++;
    for (const [task, stop] of tasks) {
      tasks.set(task, undefined);
      stop?.();
    }
    link?.close();
    link = undefined;
  }

  function notOpened(kind: LinkKind, error: RollcallError) {
    if (transport === "auto" && error.code !== "UNAUTHENTICATED" && error.code !== "TOKEN") {
      const first = !worked && !failed;
      // The server may just be away: each way is tried in turn until one opens.
      blocked = kind === "websocket" && (++failed >= failuresUntilBlocked || !worked);
      if (first) return void connect();
    }
    retry(error);
  }

  function lost(error: RollcallError) {
    drop();
    if (Date.now() - openedAt >= goodAfter) failures = 0;
    retry(error, failures === 0);
  }

  /** `renew`: at once where only the token was refused, since it is asked for anew. */
  function retry(error: RollcallError, renew = true) {
    if (error.code === "UNAUTHENTICATED") {
      if (++refusals > 1) return shut(error);
      if (renew) {
        failures++; // a link that goes on being refused as soon as it is open waits like any other
        return void connect();
      }
    }
    const wait = backoff(failures++, error.retryAfterMs);
    cancel = after(wait, connect);
    become({ status: "waiting", retryAt: Date.now() + wait, reason: error });
  }

  function shut(reason?: RollcallError) {
    drop();
    unlisten?.();
    unlisten = undefined;
    refusals = failures = 0;
    const ended = [...tasks.keys()];
    tasks.clear();
    become(reason ? { status: "closed", reason } : { status: "closed" });
    ended.forEach((task) => task.end(reason));
  }

  /** What happens may have cost the connection, or may bring it back; but who was told to wait does. */
  function look(event: PlatformEvent) {
    if (event === "input" || event === "hidden" || event === "pagehide") return;
    if (link) link.check();
    else if (event !== "offline" && state.status === "waiting" && !state.reason.retryAfterMs) void connect();
  }

  let closed = false;
  return {
    get state() {
      return state;
    },
    onState: (listener) => states.on("state", listener),
    run(task) {
      if (closed) {
        queueMicrotask(() => task.end(networkError("the client is closed")));
        return () => {};
      }
      tasks.set(task, undefined);
      unlisten ??= platform.listen(look);
      if (link) start(task);
      else if (state.status === "idle" || state.status === "closed") void connect();
      return () => {
        tasks.get(task)?.();
        if (!tasks.delete(task) || tasks.size) return;
        // What ends and begins again at once, as a component that is drawn anew, keeps the link.
        setTimeout(() => {
          if (tasks.size || closed || state.status === "closed") return;
          drop();
          unlisten?.();
          unlisten = undefined;
          become({ status: "idle" });
        });
      };
    },
    close() {
      closed = true;
      shut();
    },
  };
}
