import { after } from "./clock.js";
import { errorOf, networkError, RollcallError, type Result } from "./error.js";
import type { Payload } from "./link.js";
import type { Tokens } from "./token.js";

/** How a query may be sent. */
export interface QueryOptions {
  signal?: AbortSignal;
  /** The request outlives the page. */
  keepalive?: boolean;
  /** Takes the error of those parts of the data that are null on its account. Without it they fail the whole. */
  partial?: (error: RollcallError) => void;
}

/** The API by POST. */
export interface Http {
  /** The answer's data. Rejects with a RollcallError, or with the signal's reason. */
  query<T>(query: string, variables?: Record<string, unknown>, options?: QueryOptions): Promise<T>;
  /** The response to an operation whose answer is a stream of events, or is not, where it is refused. */
  stream(payload: Payload, signal: AbortSignal): Promise<Response>;
}

/** A query whose answer has not come by then has failed: nothing else tells of a network that swallows it. In milliseconds. */
const answerWithin = 15_000;

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export function createHttp(url: string, tokens: Tokens, fetch: Fetch): Http {
  /** Sends a request; once more where its token is no longer good. */
  async function post(
    accept: string,
    body: Payload,
    signal: AbortSignal,
    keepalive = false,
    refused?: string,
  ): Promise<Response> {
    const token = await (refused === undefined ? tokens.current() : tokens.instead(refused));
    const response = await fetch(url, {
      signal,
      keepalive,
      method: "POST",
      headers: { Accept: accept, "Content-Type": "application/json", Authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    }).catch(() => Promise.reject(signal.aborted ? signal.reason : networkError()));
    if (response.status !== 401 || refused !== undefined) return response;
    await response.body?.cancel();
    return post(accept, body, signal, keepalive, token);
  }

  return {
    async query<T>(query: string, variables?: Record<string, unknown>, options: QueryOptions = {}) {
      const { data, errors } = await inTime(options.signal, async (signal) =>
        resultOf(await post("application/json", { query, variables }, signal, options.keepalive)),
      );
      const error = errorOf(errors);
      if (!data || (error && !options.partial)) throw error ?? networkError("the answer is empty");
      if (error) options.partial?.(error);
      return data as T; // the caller's query says what it is
    },
    stream: (payload, signal) => post("text/event-stream", payload, signal),
  };
}

/** Calls with a signal, which ends what takes too long or what `outer` ends. */
async function inTime<T>(outer: AbortSignal | undefined, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  outer?.throwIfAborted();
  const inner = new AbortController();
  const cancel = after(answerWithin, () => inner.abort(networkError("the server did not answer in time")));
  const abort = () => inner.abort(outer?.reason);
  outer?.addEventListener("abort", abort);
  const ended = new Promise<never>((_, reject) =>
    inner.signal.addEventListener("abort", () => reject(inner.signal.reason)),
  );
  try {
    return await Promise.race([call(inner.signal), ended]);
  } finally {
    cancel();
    outer?.removeEventListener("abort", abort);
  }
}

/** A response's result. One that is not the server's but a proxy's is an error by its status. */
export async function resultOf(response: Response): Promise<Result> {
  try {
    const result: unknown = await response.json();
    if (typeof result === "object" && result) return result;
  } catch {
    // not JSON
  }
  const { status, headers } = response;
  const busy = status === 429 || status >= 500;
  const seconds = Number(headers.get("Retry-After"));
  throw new RollcallError(
    busy ? "UNAVAILABLE" : status === 401 ? "UNAUTHENTICATED" : "NETWORK",
    `the answer is no result but status ${status}`,
    busy && seconds > 0 ? seconds * 1_000 : undefined,
  );
}
