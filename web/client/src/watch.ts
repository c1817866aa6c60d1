import { after, backoff } from "./clock.js";
import type { Client } from "./client.js";
import { asError, passes, type RollcallError } from "./error.js";
import { createEmitter } from "./emitter.js";
import { presenceFields, type PresenceInfo } from "./pages.js";

/** A transition of a user. */
export interface PresenceEvent {
  type: "ONLINE" | "OFFLINE" | "UPDATED";
  userId: string;
  /** For OFFLINE only. */
  reason: "SIGNED_OUT" | "EXPIRED" | "DISCONNECTED" | null;
  at: string;
  /** As after the event. */
  presence: PresenceInfo;
  /** Only if it was asked for. */
  user?: { name: string | null; avatarUrl: string | null; level: number | null };
}

export interface WatchOptions {
  /** At most 500; absent: everybody. */
  userIds?: string[];
  /** A cursor to begin after. */
  since?: string;
  /** Whether events carry `user`. */
  details?: boolean;
  /** False: events alone, and no map. It saves who has a list of their own to read a walk through everybody online. */
  map?: boolean;
}

export interface WatchEvents {
  /** The map has changed. */
  change: ReadonlyMap<string, PresenceInfo>;
  /** Transitions, as they were sent together. */
  events: PresenceEvent[];
  /** Events may be missing before this: the server's log no longer reached back. The map is being read anew. */
  gap: undefined;
  /** The first delta since a connection came: from now on nothing is missed. Its cursor. */
  live: string;
  /** The watch can't go on, and is over: told once. */
  error: RollcallError;
  /** The server can't serve it now and is asked again. */
  waiting: RollcallError;
}

/** Presence as it changes. It resumes by itself where a lost connection left it. */
export interface Watch {
  /** Presence by user id. Of everybody: of those online. Of `userIds`: of each, as soon as it has been read. */
  readonly presences: ReadonlyMap<string, PresenceInfo>;
  /** Whether `presences` is whole. */
  readonly ready: boolean;
  /** Resumes after the last delta. */
  readonly cursor: string | undefined;
  on<K extends keyof WatchEvents>(event: K, listener: (detail: WatchEvents[K]) => void): () => void;
  close(): void;
}

interface Delta {
  presenceChanged: { cursor: string; reset: boolean; events: PresenceEvent[] };
}

const deltas = (details: boolean) =>
  `subscription($userIds:[ID!]$since:String){presenceChanged(userIds:$userIds since:$since){cursor reset events{type userId reason at presence{${presenceFields}}${details ? "user{name avatarUrl level}" : ""}}}}`;
const some = `query($userIds:[ID!]!){presence(userIds:$userIds){${presenceFields}}}`;

export function createWatch(client: Client, { userIds, since, details = false, map = true }: WatchOptions = {}): Watch {
  const { on, emit } = createEmitter<WatchEvents>();
  const presences = new Map<string, PresenceInfo>();
  let cursor = since;
  let ready = false;
  let reading: AbortController | undefined;
  let cancel = () => {};
  /** While the list is read: of whom an event has come since that began. It is newer than what is read. */
  let touched: Set<string> | undefined;

  function put(presence: PresenceInfo) {
    if (userIds || presence.status !== "OFFLINE") presences.set(presence.userId, presence);
    else presences.delete(presence.userId);
  }

  /** The presence to begin with. */
  async function* snapshot(signal: AbortSignal): AsyncGenerator<PresenceInfo[]> {
    if (userIds) {
      yield (await client.query<{ presence: PresenceInfo[] }>(some, { userIds }, { signal })).presence;
      return;
    }
    for await (const { nodes } of client.onlineUsers({ first: 500, orderBy: "UNORDERED" })) {
      yield nodes.map(({ presence }) => presence);
    }
  }

  async function read(failures = 0) {
    stopReading();
    const { signal } = (reading = new AbortController());
    const newer = (touched = new Set<string>());
    ready = false;
    try {
      const seen = new Set<string>();
      for await (const page of snapshot(signal)) {
        if (signal.aborted) return;
        for (const presence of page) {
          seen.add(presence.userId);
          if (!newer.has(presence.userId)) put(presence);
        }
        emit("change", presences);
      }
      if (signal.aborted) return;
      for (const id of presences.keys()) if (!seen.has(id) && !newer.has(id)) presences.delete(id);
      touched = undefined;
      ready = true;
      emit("change", presences);
    } catch (thrown) {
      if (signal.aborted) return;
      const error = asError(thrown);
      if (!passes(error)) return fail(error);
      cancel = after(backoff(failures, error.retryAfterMs), () => void read(failures + 1));
    }
  }

  function stopReading() {
    cancel();
    reading?.abort();
  }
  function fail(error: RollcallError) {
    close();
    emit("error", error);
  }

  let first = true; // delta of a connection
  const stop = client.subscribe<Delta>(
    deltas(details),
    () => {
      first = true;
      return { userIds, since: cursor };
    },
    {
      next({ presenceChanged: { cursor: next, reset, events } }) {
        const begins = cursor === undefined;
        cursor = next;
        if (reset) emit("gap", undefined);
        if (map && (begins || reset || (!ready && !reading))) void read();
        for (const { presence } of events) {
          touched?.add(presence.userId);
          if (map) put(presence);
        }
        if (first) emit("live", next);
        first = false;
        if (events.length) {
          emit("events", events);
          if (map) emit("change", presences);
        }
      },
      error: fail,
      complete: stopReading,
      waiting: (error) => emit("waiting", error),
    },
  );
  function close() {
    stopReading();
    stop();
  }
  return {
    presences,
    get ready() {
      return ready;
    },
    get cursor() {
      return cursor;
    },
    on,
    close,
  };
}
