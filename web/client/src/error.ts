/** One of GraphQL's errors, as an answer carries it. */
export interface GraphQLErrorLike {
  message: string;
  extensions?: { readonly [key: string]: unknown } | undefined;
}

/** The answer to an operation, or one answer of a subscription. */
export interface Result {
  data?: unknown;
  errors?: readonly GraphQLErrorLike[] | undefined;
}

/** Why something failed. */
export class RollcallError extends Error {
  override name = "RollcallError";
  constructor(
    /**
     * The server's `extensions.code`: UNAUTHENTICATED, FORBIDDEN, BAD_USER_INPUT, SESSION_REPLACED, SESSION_ENDED,
     * RATE_LIMITED, UNAVAILABLE, INTERNAL, or GraphQL's own. NETWORK: there was no answer. TOKEN: the provider of
     * tokens failed.
     */
    readonly code: string,
    message: string,
    /** How long the server wants to be left alone, in milliseconds. */
    readonly retryAfterMs?: number,
  ) {
    super(message);
  }
}

/** No answer came. */
export const networkError = (message = "no connection to the server") => new RollcallError("NETWORK", message);

/** The first of an answer's errors; undefined if it has none. */
export function errorOf(errors: readonly GraphQLErrorLike[] | undefined): RollcallError | undefined {
  const first = errors?.[0];
  if (!first) return undefined;
  const { code, retryAfterMs } = first.extensions ?? {};
  return new RollcallError(
    typeof code === "string" ? code : "INTERNAL",
    first.message,
    typeof retryAfterMs === "number" ? retryAfterMs : undefined,
  );
}

/** Whether the same request may succeed later. All else is told once and not tried again. */
export const passes = ({ code }: RollcallError) =>
  ["UNAVAILABLE", "RATE_LIMITED", "INTERNAL", "NETWORK", "TOKEN"].includes(code);

/** What was thrown, as a RollcallError. */
export const asError = (thrown: unknown) =>
  thrown instanceof RollcallError ? thrown : networkError(thrown instanceof Error ? thrown.message : undefined);
