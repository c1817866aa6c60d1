import { createClient } from "graphql-ws/client";
import { after } from "./clock.js";
import { networkError, RollcallError, type GraphQLErrorLike } from "./error.js";
import type { Link, Lost } from "./link.js";

/** A constructor like the browser's `WebSocket`; Node has one from 22 on, before that there is the package `ws`. */
export type WebSocketImpl = new (url: string, protocols?: string | string[]) => {
  readonly readyState: number;
  send(data: string): void;
  close(code?: number, reason?: string): void;
};

// In milliseconds. The server pings by itself, but a page is not shown that.
const openWithin = 10_000;
const quietFor = 25_000;
const pongWithin = 5_000;

/** Opens a socket: one connection for all subscriptions. */
export function openWebSocket(url: string, token: string, impl: WebSocketImpl | undefined, onLost: Lost): Promise<Link> {
  return new Promise((resolve, reject) => {
    let opened = false;
    let dead = false;
    let heardAt = Date.now();
    let socket: { send(data: string): void } | undefined;
    let cancel = after(openWithin, () => lose(networkError("the socket did not open in time")));

    const client = createClient({
      url: url.replace(/^http/, "ws"),
      webSocketImpl: impl,
      connectionParams: { Authorization: `Bearer ${token}` },
      lazy: false,
      retryAttempts: 0, // the connection tries again, by its own rules
      onNonLazyError: () => {},
      on: {
        opened: (it) => (socket = it as WebSocket),
        connected() {
          opened = true;
          rest();
          resolve(link);
        },
        message: () => (heardAt = Date.now()),
        error: () => lose(networkError()),
        closed: (event) => lose(closedBy(event)),
      },
    });

    /** Ends the socket, once. */
    function shut() {
      if (dead) return false;
      dead = true;
      cancel();
      if (opened) void Promise.resolve(client.dispose()).catch(() => {});
      else client.terminate();
      return true;
    }
    function lose(error: RollcallError) {
      if (shut()) (opened ? onLost : reject)(error);
    }
    /** Checks again once nothing has come for a while. */
    function rest() {
      cancel();
      cancel = after(quietFor, () => (Date.now() - heardAt < quietFor ? rest() : check()));
    }
    function check() {
      if (dead) return;
      cancel();
      const asked = Date.now();
      cancel = after(pongWithin, () => {
        if (heardAt >= asked) return rest();
        client.terminate();
        lose(networkError("the server does not answer"));
      });
      socket?.send('{"type":"ping"}');
    }

    const link: Link = {
      kind: "websocket",
      subscribe(payload, sink) {
        let ended = false;
        const stop = client.subscribe<unknown>(
          { query: payload.query, variables: payload.variables ?? null },
          {
            next: (result) => void (ended || dead || sink.next(result)),
            error(errors) {
              // A socket that closes is an error of each of its operations; the link tells of that itself.
              if (!ended && !dead && Array.isArray(errors)) sink.error(errors as GraphQLErrorLike[]);
            },
            complete: () => void (ended || dead || sink.complete()),
          },
        );
        return () => {
          ended = true;
          stop();
        };
      },
      check,
      close: shut,
    };
  });
}

/** What a close event means. */
function closedBy(event: unknown): RollcallError {
  const { code, reason } = event as CloseEvent;
  return code === 4403 ? new RollcallError("UNAUTHENTICATED", reason) : networkError(`the socket closed: ${code} ${reason}`);
}
