import { createConnection, type Connection, type ConnectionState } from "./connection.js";
import { createHttp, type Fetch, type QueryOptions } from "./http.js";
import type { LinkKind } from "./link.js";
import { runOperation, type Sink, type Variables } from "./operation.js";
import { onlineUsers, type OnlineUsersArgs, type OnlineUsersPages } from "./pages.js";
import { currentPlatform, type Platform } from "./platform.js";
import { openSse } from "./sse.js";
import { createTokens, type TokenSource } from "./token.js";
import { createWatch, type Watch, type WatchOptions } from "./watch.js";
import { openWebSocket, type WebSocketImpl } from "./websocket.js";

/** Where the server is, and how to reach it. */
export interface ClientOptions {
  /** The API's address, such as `/graphql` or `https://example.org/graphql`. */
  url: string;
  /** The caller's token, without `Bearer`; a function is asked at each connection, and after a token was refused. */
  token: TokenSource;
  /** `auto`, the default: WebSocket, and server-sent events where that does not open. */
  transport?: "auto" | LinkKind;
  fetch?: Fetch;
  /** Where there is no global WebSocket (Node before 22): that of the package `ws`. */
  webSocketImpl?: WebSocketImpl;
  platform?: Platform;
}

/** Talks to a server. It makes nobody present: that does `createPresence`. */
export interface Client {
  /** The data of a query or mutation, sent by POST. Rejects with a RollcallError, or with the signal's reason. */
  query<T>(document: string, variables?: Record<string, unknown>, options?: QueryOptions): Promise<T>;
  /** Subscribes until the function that is returned is called; it goes on by itself when a connection was lost. */
  subscribe<T>(document: string, variables: Variables | undefined, sink: Sink<T>): () => void;
  /** Who is online, kept current. */
  watch(options?: WatchOptions): Watch;
  /** The pages of who is online, to be iterated over. */
  onlineUsers(args?: OnlineUsersArgs): OnlineUsersPages;
  readonly state: ConnectionState;
  on(event: "state", listener: (state: ConnectionState) => void): () => void;
  /** Ends all subscriptions. */
  close(): void;
}

export function createClient(options: ClientOptions): Client {
  return createClientParts(options).client;
}

/** A client, and the connection that its subscriptions share with a presence. */
export function createClientParts(options: ClientOptions): { client: Client; connection: Connection } {
  const { platform = currentPlatform() } = options;
  const webSocketImpl: WebSocketImpl | undefined = options.webSocketImpl ?? globalThis.WebSocket;
  const url = globalThis.location ? new URL(options.url, globalThis.location.href).href : options.url;
  const tokens = createTokens(options.token);
  const http = createHttp(url, tokens, options.fetch ?? ((input, init) => fetch(input, init)));
  const connection = createConnection({
    transport: options.transport ?? (webSocketImpl ? "auto" : "sse"),
    platform,
    async open(kind, lost) {
      const token = await tokens.fresh();
      if (kind === "sse") return openSse(http, lost);
      if (!webSocketImpl) throw new TypeError("there is no WebSocket here: pass webSocketImpl");
      return openWebSocket(url, token, webSocketImpl, lost);
    },
  });
  const client: Client = {
    query: http.query,
    subscribe: (document, variables, sink) => runOperation(connection, document, variables, sink),
    watch: (watchOptions) => createWatch(client, watchOptions),
    onlineUsers: (args) => onlineUsers(client, args),
    get state() {
      return connection.state;
    },
    on: (_event, listener) => connection.onState(listener),
    close: () => connection.close(),
  };
  return { client, connection };
}
