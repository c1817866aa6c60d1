import { after, backoff } from "./clock.js";
import type { Connection } from "./connection.js";
import { errorOf, passes, RollcallError, type GraphQLErrorLike } from "./error.js";

/** Takes what a subscription brings. */
export interface Sink<T> {
  /** `error` is of those parts of the data that are null on its account. */
  next(data: T, error?: RollcallError): void;
  /** The subscription can't go on, and is over: told once. */
  error(error: RollcallError): void;
  /** The subscription is over. */
  complete(): void;
  /** The server can't serve it now; it is tried again at `retryAt`, in Unix milliseconds. */
  waiting?(error: RollcallError, retryAt: number): void;
}

/** Variables, or what makes them at each start: a subscription that resumes says from where. */
export type Variables = Record<string, unknown> | (() => Record<string, unknown>);

/** Runs a subscription over a connection until the function that is returned is called. */
export function runOperation<T>(
  connection: Connection,
  query: string,
  variables: Variables | undefined,
  sink: Sink<T>,
): () => void {
  let failures = 0;
  const leave = connection.run({
    start(link) {
      let cancel = () => {};
      let stop = () => {};
      function go() {
        let over = false;
        function refused(errors: readonly GraphQLErrorLike[] | undefined) {
          over = true;
          const error = errorOf(errors) ?? new RollcallError("INTERNAL", "refused without a reason");
          if (passes(error)) {
            const wait = backoff(failures++, error.retryAfterMs);
            cancel = after(wait, go);
            sink.waiting?.(error, Date.now() + wait);
          } else {
            leave();
            sink.error(error);
          }
        }
        stop = link.subscribe(
          { query, variables: typeof variables === "function" ? variables() : variables },
          {
            next({ data, errors }) {
              if (over) return;
              if (!data) return refused(errors);
              failures = 0;
              sink.next(data as T, errorOf(errors)); // the caller's document says what it is
            },
            error: (errors) => over || refused(errors),
            complete() {
              if (over) return;
              over = true;
              leave();
              sink.complete();
            },
          },
        );
      }
      go();
      return () => {
        cancel();
        stop();
      };
    },
    end: (reason) => (reason ? sink.error(reason) : sink.complete()),
  });
  return leave;
}
