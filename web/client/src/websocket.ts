import { after } from "./clock.js";
import { RollcallError, type GraphQLErrorLike, type Result } from "./error.js";
import type { Link, LinkSink, Lost } from "./link.js";

/** A constructor like the browser's `WebSocket`; Node has one from 22 on, before that there is the package `ws`. */
export type WebSocketImpl = new (
  url: string,
  protocol: string,
) => {
  // Functions; each implementation has types of its own for their events.
  onopen: unknown;
  onmessage: unknown;
  onerror: unknown;
  onclose: unknown;
  send(data: string): void;
  close(code?: number, reason?: string): void;
};

/** What the server sends. */
type Message =
  | { type: "connection_ack" | "ping" | "pong" }
  | { type: "next"; id: string; payload: Result }
  | { type: "error"; id: string; payload: GraphQLErrorLike[] }
  | { type: "complete"; id: string };

// In milliseconds. The server pings by frames of the protocol below, which a page is not shown.
const openWithin = 10_000;
const quietFor = 25_000;
const pongWithin = 5_000;

/**
 * Opens a socket for all subscriptions, by the protocol of graphql-ws
 * (https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md).
 */
export function openWebSocket(url: string, token: string, impl: WebSocketImpl, onLost: Lost): Promise<Link> {
  return new Promise((resolve, reject) => {
    const sinks = new Map<string, LinkSink>();
    const socket = new impl(url.replace(/^http/, "ws"), "graphql-transport-ws");
    let lastId = 0;
    let heardAt = 0;
    let tell: Lost = reject;
    let cancel = after(openWithin, () => lose("the socket did not open in time"));

    const send = (type: string, id?: string, payload?: unknown) => socket.send(JSON.stringify({ type, id, payload }));
    function close() {
      cancel();
      tell = () => {};
      sinks.clear();
      socket.onopen = socket.onmessage = socket.onclose = null;
      socket.onerror = () => {}; // a socket of `ws` that is closed early throws what nobody listens to
      socket.close(1000);
    }
    function lose(why: string, code = "NETWORK") {
      const told = tell;
      close();
      told(new RollcallError(code, why));
    }
    /** Checks again once nothing has come for a while. */
    function rest() {
      cancel();
      cancel = after(quietFor, () => (Date.now() - heardAt < quietFor ? rest() : check()));
    }
    function check() {
      cancel();
      const asked = Date.now();
      cancel = after(pongWithin, () => (heardAt < asked ? lose("the server does not answer") : rest()));
      send("ping");
    }

    socket.onopen = () => send("connection_init", undefined, { Authorization: `Bearer ${token}` });
    socket.onclose = ({ code, reason }: CloseEvent) =>
      lose(reason || `the socket closed: ${code}`, code === 4403 ? "UNAUTHENTICATED" : undefined);
    socket.onerror = () => {}; // and then it closes
    socket.onmessage = ({ data }: MessageEvent) => {
      heardAt = Date.now();
      const message = JSON.parse(String(data)) as Message;
      if (message.type === "connection_ack") {
        tell = onLost;
        rest();
        resolve({ kind: "websocket", subscribe, check, close });
      } else if (message.type === "ping") {
        send("pong");
      } else if ("id" in message) {
        const sink = sinks.get(message.id);
        if (message.type === "next") return sink?.next(message.payload);
        sinks.delete(message.id);
        if (message.type === "error") sink?.error(message.payload);
        else sink?.complete();
      }
    };

    const subscribe: Link["subscribe"] = (payload, sink) => {
      const id = String(++lastId);
      sinks.set(id, sink);
      send("subscribe", id, payload);
      return () => {
        if (sinks.delete(id)) send("complete", id);
      };
    };
  });
}
