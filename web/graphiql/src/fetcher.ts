import { createGraphiQLFetcher, type Fetcher, type FetcherParams } from "@graphiql/toolkit";
import { getOperationAST, type ExecutionResult } from "graphql";
import { createClient } from "graphql-ws";

/** How the page reaches the API: by POST, and for subscriptions over WebSocket. */
export function createFetcher(endpoint: URL): Fetcher {
  // The schema has no @defer, so that an answer is always whole.
  const post = createGraphiQLFetcher({ url: endpoint.href, enableIncrementalDelivery: false });
  return (params, options) => {
    const operation = options?.documentAST && getOperationAST(options.documentAST, params.operationName);
    if (operation?.operation === "subscription") return subscribe(endpoint, params, options?.headers);
    return post(params, options);
  };
}

/**
 * Each subscription has a socket of its own, with the tab's headers as connection_init's payload: a token is
 * typed in one place, and a changed one holds from the next run on. A socket that closes is not opened again:
 * the page shows why, and no event is missed unnoticed.
 */
function subscribe(
  endpoint: URL,
  { query, variables, operationName }: FetcherParams,
  headers: Record<string, unknown> = {},
): AsyncIterable<ExecutionResult> {
  const url = new URL(endpoint);
  url.protocol = endpoint.protocol === "https:" ? "wss:" : "ws:";
  const client = createClient({ url: url.href, connectionParams: headers, retryAttempts: 0 });
  const results = client.iterate({ query, variables, operationName }) as AsyncIterator<ExecutionResult, undefined>;
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => results.next().catch((cause) => Promise.reject(explain(cause))),
      return: () => results.return!(),
    }),
  };
}

/** Says what an event means: it has no message that GraphiQL could show. */
function explain(cause: unknown): unknown {
  if (cause instanceof CloseEvent) return new Error(`The connection closed: ${cause.code} ${cause.reason}`);
  if (cause instanceof Event) return new Error("No connection to the server");
  return cause;
}
