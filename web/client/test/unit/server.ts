// A Rollcall in miniature, behind a fake socket and a fake fetch: one user, whose newest session wins.
import type { Fetch } from "../../src/http.js";
import type { LinkSink, Payload } from "../../src/link.js";
import type { WebSocketImpl } from "../../src/websocket.js";

/** What the server was told of the user's being alive. */
export interface Beat {
  at: number;
  via: "session" | "heartbeat";
  active: boolean;
  session: string | undefined;
}

interface Input {
  deviceId: string;
  session?: string;
  active?: boolean;
}

/** Answers an operation; what it returns ends a subscription. */
type Operation = (variables: Record<string, unknown>, sink: LinkSink) => (() => void) | undefined;

export class FakeServer {
  /** False: nobody answers. */
  up = true;
  /** A firewall that lets no WebSocket through. */
  blocksWebSockets = false;
  /** Answers no message, as a connection whose other end is gone. */
  silent = false;
  acceptsToken = (_token: string) => true;

  readonly tokens: string[] = [];
  readonly beats: Beat[] = [];
  readonly ended: string[] = [];
  readonly requests: { at: number; query: string; accept: string; keepalive: boolean; url: string }[] = [];
  readonly dials: number[] = [];
  readonly sockets = new Set<FakeSocket>();
  /** Errors for the next operations, by the first word of the field. */
  readonly refusals: { field: string; code: string; retryAfterMs?: number }[] = [];

  session: { token: string; deviceId: string } | undefined;
  #epoch = 0;
  /** What cuts each open stream. */
  readonly #streams = new Set<() => void>();
  readonly #kept = new Map<LinkSink, string>();
  readonly operations = new Map<string, Operation>();

  constructor() {
    this.operations.set("__typename", (_, sink) => answer(sink, { __typename: "Query" }));
    this.operations.set("me", (_, sink) => answer(sink, { me: { id: "ada" } }));
    this.operations.set("heartbeat", ({ input }, sink) => {
      const refused = this.#beat("heartbeat", input as Input);
      if (refused) return fail(sink, refused);
      return answer(sink, {
        heartbeat: { session: this.session?.token, nextHeartbeatInMs: (input as Input).active ? 24_000 : 60_000 },
      });
    });
    this.operations.set("session", ({ input }, sink) => {
      const refused = this.#beat("session", input as Input);
      if (refused) return fail(sink, refused);
      const token = this.session?.token ?? "";
      this.#kept.set(sink, token);
      sink.next({ data: { session: { type: "STARTED", session: token } } });
      return () => this.#kept.delete(sink);
    });
    this.operations.set("goOffline", ({ input }, sink) => {
      const { session = "" } = input as Input;
      this.ended.push(session);
      this.#end("ENDED", session);
      return answer(sink, { goOffline: { ended: true } });
    });
  }

  #beat(via: Beat["via"], { session, deviceId, active = true }: Input) {
    this.beats.push({ at: Date.now(), via, active, session });
    if (session === undefined) {
      const replaced = this.session;
      this.session = { token: `session-${++this.#epoch}`, deviceId };
      if (replaced) this.#end("REPLACED", replaced.token);
      return undefined;
    }
    if (this.ended.includes(session)) return "SESSION_ENDED";
    return session === this.session?.token ? undefined : "SESSION_REPLACED";
  }

  #end(type: "REPLACED" | "ENDED", session: string) {
    for (const [sink, token] of this.#kept) {
      if (token !== session) continue;
      this.#kept.delete(sink);
      sink.next({ data: { session: { type, session } } });
      sink.complete();
    }
  }

  /** Somebody signs in elsewhere. */
  takeOver() {
    this.#beat("heartbeat", { deviceId: "elsewhere" });
    this.beats.pop();
  }
  /** An administrator ends the session. */
  disconnect() {
    const { token = "" } = this.session ?? {};
    this.ended.push(token);
    this.#end("ENDED", token);
  }
  /** Closes all sockets, and refuses new ones until it is up again. */
  goDown() {
    this.up = false;
    for (const socket of [...this.sockets]) socket.drop(1012);
    for (const cut of [...this.#streams]) cut();
  }

  run({ query, variables = {} }: Payload, sink: LinkSink) {
    const field = /\{\s*(\w+)/.exec(query)?.[1] ?? "";
    const refusal = this.refusals.findIndex((one) => one.field === field);
    if (refusal >= 0) {
      const [{ code, retryAfterMs } = { code: "" }] = this.refusals.splice(refusal, 1);
      return fail(sink, code, retryAfterMs);
    }
    return this.operations.get(field)?.(variables, sink) ?? fail(sink, "GRAPHQL_VALIDATION_FAILED");
  }

  readonly WebSocket: WebSocketImpl = (() => {
    const server = this;
    return class extends FakeSocket {
      constructor(readonly url: string) {
        super(server);
      }
    };
  })();

  readonly fetch: Fetch = async (url, init) => {
    const { accept, authorization } = Object.fromEntries(new Headers(init.headers));
    const payload = JSON.parse(String(init.body)) as Payload;
    this.requests.push({
      at: Date.now(),
      query: payload.query,
      accept: accept ?? "",
      keepalive: !!init.keepalive,
      url,
    });
    if (!this.up) throw new TypeError("fetch failed");
    this.tokens.push(authorization ?? "");
    if (!this.acceptsToken((authorization ?? "").slice("Bearer ".length))) {
      return Response.json({ errors: [{ message: "no", extensions: { code: "UNAUTHENTICATED" } }] }, { status: 401 });
    }
    if (accept === "text/event-stream") return this.#stream(payload, init.signal);
    let result: unknown;
    this.run(payload, { next: (value) => (result ??= value), error: (errors) => (result = { errors }), complete() {} });
    return Response.json(result);
  };

  #stream(payload: Payload, signal: AbortSignal | null | undefined) {
    const body = new ReadableStream<string>({
      start: (controller) => {
        const event = (text: string) => signal?.aborted || controller.enqueue(text);
        const comments = setInterval(() => event(":\n\n"), 10_000);
        const stop = this.run(payload, {
          next: (result) => event(`event: next\ndata: ${JSON.stringify(result)}\n\n`),
          error: (errors) => event(`event: next\ndata: ${JSON.stringify({ errors })}\n\nevent: complete\ndata:\n\n`),
          complete: () => event("event: complete\ndata:\n\n"),
        });
        const end = () => {
          clearInterval(comments);
          stop?.();
          this.#streams.delete(cut);
        };
        const cut = () => {
          end();
          controller.close();
        };
        this.#streams.add(cut);
        signal?.addEventListener("abort", () => {
          if (!this.#streams.has(cut)) return;
          end();
          controller.error(signal.reason);
        });
      },
    });
    return new Response(body.pipeThrough(new TextEncoderStream()), {
      headers: { "Content-Type": "text/event-stream" },
    });
  }
}

/** A socket of the fake server. */
class FakeSocket {
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onerror: (() => void) | null = null;
  onclose: ((event: { code: number; reason: string }) => void) | null = null;
  closedWith: number | undefined;
  readonly #running = new Map<string, (() => void) | undefined>();

  constructor(readonly server: FakeServer) {
    server.dials.push(Date.now());
    queueMicrotask(() => {
      if (!server.up || server.blocksWebSockets) return this.drop(1006);
      server.sockets.add(this);
      this.onopen?.();
    });
  }

  send(data: string) {
    if (this.server.silent) return;
    const { type, id, payload } = JSON.parse(data) as { type: string; id: string; payload: unknown };
    if (type === "ping") return this.#tell({ type: "pong" });
    if (type === "connection_init") {
      const { Authorization } = payload as { Authorization: string };
      this.server.tokens.push(Authorization);
      if (!this.server.acceptsToken(Authorization.slice("Bearer ".length))) return this.drop(4403);
      return this.#tell({ type: "connection_ack" });
    }
    if (type === "complete") return this.#end(id);
    this.#running.set(id, undefined);
    const stop = this.server.run(payload as Payload, {
      next: (result) => this.#tell({ type: "next", id, payload: result }),
      error: (errors) => this.#tell({ type: "error", id, payload: errors }),
      complete: () => this.#tell({ type: "complete", id }),
    });
    if (this.#running.has(id)) this.#running.set(id, stop);
  }

  close(code?: number) {
    this.closedWith = code;
    this.#gone();
  }
  drop(code: number) {
    this.#gone();
    this.onclose?.({ code, reason: "" });
  }
  #gone() {
    this.server.sockets.delete(this);
    for (const id of [...this.#running.keys()]) this.#end(id);
  }
  #end(id: string) {
    this.#running.get(id)?.();
    this.#running.delete(id);
  }
  #tell(message: unknown) {
    queueMicrotask(() => this.onmessage?.({ data: JSON.stringify(message) }));
  }
}

function answer(sink: LinkSink, data: unknown) {
  sink.next({ data });
  sink.complete();
  return () => {};
}
function fail(sink: LinkSink, code: string, retryAfterMs?: number) {
  sink.next({ data: null, errors: [{ message: code, extensions: { code, ...(retryAfterMs && { retryAfterMs }) } }] });
  sink.complete();
  return () => {};
}
