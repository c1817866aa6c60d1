import type { GraphQLErrorLike, Result, RollcallError } from "./error.js";

/** How subscriptions travel. */
export type LinkKind = "websocket" | "sse";

/** An operation as it is sent. */
export interface Payload {
  query: string;
  variables?: Record<string, unknown> | undefined;
}

/** Takes the answers to one operation. After `error` or `complete` none follows. */
export interface LinkSink {
  next(result: Result): void;
  error(errors: readonly GraphQLErrorLike[]): void;
  complete(): void;
}

/** An open way to the server. It is lost once, which it tells who opened it, and its sinks are told nothing then. */
export interface Link {
  readonly kind: LinkKind;
  subscribe(payload: Payload, sink: LinkSink): () => void;
  /** Looks whether the server is still there; if it is not, the link is lost within seconds. */
  check(): void;
  close(): void;
}

/** Takes the news that a link is lost. */
export type Lost = (error: RollcallError) => void;
