import { after, backoff } from "./clock.js";
import type { Client } from "./client.js";
import type { Connection } from "./connection.js";
import { asError, errorOf, passes, RollcallError } from "./error.js";
import type { LinkSink } from "./link.js";
import type { Stored } from "./stored.js";

const keep = "subscription($input:HeartbeatInput!){session(input:$input){type session}}";
const beat = "mutation($input:HeartbeatInput!){heartbeat(input:$input){session nextHeartbeatInMs}}";

export interface SessionOptions {
  client: Client;
  connection: Connection;
  deviceId: string;
  /** The session's token, which the tabs of a browser share. */
  stored: Stored;
  /** Whether a stored session is an earlier page's: if it is over, this page signs in. */
  earlier: boolean;
  /** Whether the beat that is sent now is an active one. */
  active(): boolean;
  /** An active beat was not accepted. */
  unsent(): void;
  /** The server has accepted a beat. */
  online(): void;
  /** A beat has failed, and is tried again. */
  failed(error: RollcallError): void;
  /** The session is over, or refused: nothing more is tried. */
  over(error: RollcallError): void;
}

/**
 * Keeps the user's session: over a WebSocket by the `session` subscription, which the connection's pongs keep alive
 * with no beats at all, and elsewhere by beats. Each start of the subscription is a beat too.
 */
export function keepSession(o: SessionOptions): { beat(): void; stop(): void } {
  let { earlier } = o;
  let failures = 0;
  let used: string | undefined;
  let telling = false; // the last beat is an active one, and not accepted so far
  let quietUntil = 0; // the server wants no beat before
  let now = () => {};

  const input = () => ({ deviceId: o.deviceId, session: (used = o.stored.get()), active: (telling = o.active()) });
  function givenUp() {
    if (telling) o.unsent();
    telling = false;
  }
  function granted(session: string) {
    telling = earlier = false;
    failures = 0;
    o.stored.set((used = session));
    o.online();
  }
  /** How long to wait before the next beat, in milliseconds; undefined if there shall be none. */
  function refused(error: RollcallError): number | undefined {
    givenUp();
    if (passes(error)) {
      quietUntil = Date.now() + (error.retryAfterMs ?? 0);
      o.failed(error);
      return backoff(failures++, error.retryAfterMs);
    }
    const malformed = error.code === "BAD_USER_INPUT";
    const ofSession = malformed || error.code === "SESSION_REPLACED" || error.code === "SESSION_ENDED";
    if (ofSession && used !== o.stored.get()) return 0; // another tab signed in meanwhile
    if (ofSession && used && (earlier || malformed)) {
      o.stored.set(undefined);
      return 0;
    }
    leave();
    o.over(error);
    return undefined;
  }

  const leave = o.connection.run({
    start(link) {
      let cancel = () => {};
      let stop = () => {};
      function next(ms: number | undefined) {
        cancel();
        if (ms !== undefined) cancel = after(ms, now);
      }

      /** The answers of one start of the subscription. */
      function answers(): LinkSink {
        let ended = false;
        const deny = (error = new RollcallError("UNAVAILABLE", "the session is no longer kept")) => {
          if (!ended) next(refused(error));
          ended = true;
        };
        return {
          next({ data, errors }) {
            const { session } = (data ?? {}) as { session?: { type: string; session: string } };
            if (session?.type === "STARTED") granted(session.session);
            else deny(session ? new RollcallError(`SESSION_${session.type}`, "the session is over") : errorOf(errors));
          },
          error: (errors) => deny(errorOf(errors)),
          complete: () => deny(),
        };
      }
      async function beatByHttp() {
        const request = new AbortController();
        stop = () => request.abort();
        try {
          const { heartbeat } = await o.client.query<{ heartbeat: { session: string; nextHeartbeatInMs: number } }>(
            beat,
            { input: input() },
            request,
          );
          if (request.signal.aborted) return;
          granted(heartbeat.session);
          next(heartbeat.nextHeartbeatInMs);
        } catch (thrown) {
          if (request.signal.aborted) return;
          const error = asError(thrown);
          next(refused(error));
          if (error.code === "NETWORK") link.check();
        }
      }

      now = () => {
        cancel();
        stop();
        givenUp();
        if (link.kind === "sse") void beatByHttp();
        else stop = link.subscribe({ query: keep, variables: { input: input() } }, answers());
      };
      if (Date.now() < quietUntil) next(quietUntil - Date.now());
      else now();
      return () => {
        now = () => {};
        cancel();
        stop();
        givenUp();
      };
    },
    end: (reason) => reason && o.over(reason),
  });
  return { beat: () => Date.now() < quietUntil || now(), stop: leave };
}
