// The connection's states, and what a subscription is told.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createClient, type ClientOptions, type ConnectionState, type Sink } from "../../src/index.js";
import { FakeBrowser, type FakeTab } from "./browser.js";
import { connect, pass } from "./page.js";
import { FakeServer } from "./server.js";

const news = "subscription{news}";

let server: FakeServer;
let tab: FakeTab;
beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, "random").mockReturnValue(0.5);
  server = new FakeServer();
  server.operations.set("news", (_, sink) => {
    sink.next({ data: { news: 1 } });
    return () => {};
  });
  tab = new FakeBrowser().open();
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

function open(options: Partial<ClientOptions> = {}) {
  const client = createClient({ ...connect(server, tab), ...options });
  const states: string[] = [];
  client.on("state", (state: ConnectionState) => states.push(state.status === "open" ? state.transport : state.status));
  return { client, states };
}
function sink() {
  const told: string[] = [];
  const own: Sink<{ news: number }> = {
    next: ({ news: value }) => told.push(`next ${value}`),
    error: ({ code }) => told.push(`error ${code}`),
    complete: () => told.push("complete"),
    waiting: ({ code }) => told.push(`waiting ${code}`),
  };
  return { ...own, told };
}

test("opens when it is needed, and closes when it is not", async () => {
  const { client, states } = open();
  await pass(60);
  expect(server.dials).toHaveLength(0);
  const leave = [client.subscribe(news, {}, sink()), client.subscribe(news, {}, sink())];
  await pass(1);
  expect(server.dials).toHaveLength(1);
  leave[0]?.();
  client.subscribe(news, {}, sink())();
  leave[1]?.();
  client.subscribe(news, {}, sink()); // drawn anew: at the same moment
  await pass(1);
  expect(states).toEqual(["connecting", "websocket"]);
});

test("a message that is not asked for any more is told to nobody", async () => {
  const { client } = open();
  const own = sink();
  const leave = client.subscribe(news, {}, own);
  leave();
  await pass(1);
  expect(own.told).toEqual([]);
  expect(client.state).toEqual({ status: "idle" });
});

test.each(["websocket", "sse"] as const)(
  "what is refused for good is told exactly once, and not tried again (%s)",
  async (transport) => {
    const { client } = open({ transport });
    for (const code of ["FORBIDDEN", "BAD_USER_INPUT", "UNAUTHENTICATED", "GRAPHQL_VALIDATION_FAILED"]) {
      server.refusals.push({ field: "news", code });
      const own = sink();
      client.subscribe(news, {}, own);
      await pass(600);
      expect(own.told).toEqual([`error ${code}`]);
    }
  },
);

test.each(["websocket", "sse"] as const)("what may pass is tried again, and goes on (%s)", async (transport) => {
  const { client } = open({ transport });
  const own = sink();
  server.refusals.push(
    { field: "news", code: "UNAVAILABLE", retryAfterMs: 5_000 },
    { field: "news", code: "INTERNAL" },
  );
  client.subscribe(news, {}, own);
  await pass(5.4);
  expect(own.told).toEqual(["waiting UNAVAILABLE"]);
  await pass(2);
  expect(own.told).toEqual(["waiting UNAVAILABLE", "waiting INTERNAL", "next 1"]);
});

test("falls back to server-sent events at once where no socket opens", async () => {
  server.blocksWebSockets = true;
  const { client, states } = open();
  const own = sink();
  client.subscribe(news, {}, own);
  await pass(0);
  expect(states).toEqual(["connecting", "connecting", "sse"]);
  expect(own.told).toEqual(["next 1"]);
});

test("a firewall that swallows the handshake counts as blocked after ten seconds", async () => {
  server.silent = true;
  const { client, states } = open();
  client.subscribe(news, {}, sink());
  await pass(11);
  expect(states.at(-1)).toBe("sse");
});

test("a server that is away is not taken for a firewall", async () => {
  const { client } = open();
  client.subscribe(news, {}, sink());
  await pass(1);
  server.goDown();
  await pass(1);
  server.up = true;
  await pass(1);
  expect(client.state).toEqual({ status: "open", transport: "websocket" });
});

test("waits longer each time, and says until when", async () => {
  server.up = false;
  const { client } = open({ transport: "websocket" });
  client.subscribe(news, {}, sink());
  const waits: number[] = [];
  client.on("state", (state) => state.status === "waiting" && waits.push(state.retryAt - Date.now()));
  await pass(120);
  expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, ...new Array(7).fill(15_000)]);
});

test("a server that takes connections and drops them is left alone for longer each time", async () => {
  const { client } = open({ transport: "websocket" });
  server.operations.set("news", () => {
    queueMicrotask(() => [...server.sockets].forEach((socket) => socket.drop(1013)));
    return undefined;
  });
  client.subscribe(news, {}, sink());
  await pass(60);
  expect(server.dials.length).toBeLessThan(10);
});

test("does not wait once the network is back", async () => {
  server.up = false;
  const { client } = open({ transport: "websocket" });
  client.subscribe(news, {}, sink());
  await pass(20);
  server.up = true;
  tab.tell("offline");
  await pass(0);
  expect(client.state.status).toBe("waiting");
  tab.tell("online");
  await pass(0);
  expect(client.state.status).toBe("open");
});

test("a page that is seen again looks whether its socket still lives", async () => {
  const { client, states } = open();
  client.subscribe(news, {}, sink());
  await pass(1);
  server.silent = true;
  tab.tell("visible");
  await pass(5);
  expect(client.state.status).toBe("waiting");
  server.silent = false;
  await pass(1);
  expect(states).toEqual(["connecting", "websocket", "waiting", "connecting", "websocket"]);
});

test("a token that has expired is asked for anew, without a wait", async () => {
  let asked = 0;
  const { client, states } = open({ token: async () => `token-${++asked}` });
  client.subscribe(news, {}, sink());
  await pass(1);
  for (const socket of [...server.sockets]) socket.drop(4403);
  await pass(0);
  expect(states).toEqual(["connecting", "websocket", "connecting", "websocket"]);
  expect(server.tokens).toEqual(["Bearer token-1", "Bearer token-2"]);
});

test("a server that takes a token and then does not is asked less and less, and never given up", async () => {
  server.operations.set("news", () => {
    queueMicrotask(() => [...server.sockets].forEach((socket) => socket.drop(4403)));
    return () => {};
  });
  const { client } = open({ transport: "websocket" });
  const own = sink();
  client.subscribe(news, {}, own);
  await pass(60);
  expect(server.dials.length).toBeGreaterThan(3);
  expect(server.dials.length).toBeLessThan(12);
  expect(own.told).toEqual([]);
});

test("what a listener throws is its own: the others hear, and the connection goes on", async () => {
  const thrown: unknown[] = [];
  const real = globalThis.queueMicrotask;
  vi.spyOn(globalThis, "queueMicrotask").mockImplementation((call) =>
    real(() => {
      try {
        call();
      } catch (error) {
        thrown.push(error);
      }
    }),
  );
  const { client } = open();
  client.on("state", () => {
    throw new Error("a listener's own");
  });
  const states: string[] = [];
  client.on("state", ({ status }) => states.push(status));
  client.subscribe(news, {}, sink());
  await pass(60);
  expect(states).toEqual(["connecting", "open"]);
  expect(server.dials).toHaveLength(1);
  expect(thrown).toHaveLength(2);
});

test("a token provider that fails is asked again later", async () => {
  let asked = 0;
  const { client } = open({ token: () => (++asked === 1 ? Promise.reject(new Error("no")) : "token") });
  client.subscribe(news, {}, sink());
  await pass(0);
  expect(client.state).toMatchObject({ status: "waiting" });
  await pass(2);
  expect(client.state.status).toBe("open");
});

test("closing ends all", async () => {
  const { client, states } = open();
  const own = sink();
  client.subscribe(news, {}, own);
  await pass(1);
  client.close();
  await pass(60);
  expect(own.told).toEqual(["next 1", "complete"]);
  expect(states.at(-1)).toBe("closed");
  expect(server.sockets.size).toBe(0);
  const late = sink();
  client.subscribe(news, {}, late);
  await pass(60);
  expect(late.told).toHaveLength(1);
});

test("a query says what went wrong", async () => {
  const { client } = open();
  server.operations.set("half", (_, to) => {
    to.next({
      data: { half: null },
      errors: [{ message: "no", extensions: { code: "UNAVAILABLE", retryAfterMs: 7 } }],
    });
    return undefined;
  });
  await expect(client.query("{half}")).rejects.toMatchObject({ code: "UNAVAILABLE", retryAfterMs: 7 });
  const partial = vi.fn();
  await expect(client.query("{half}", {}, { partial })).resolves.toEqual({ half: null });
  expect(partial).toHaveBeenCalledOnce();

  const answered = (body: string, init: ResponseInit) =>
    open({ fetch: async () => new Response(body, init) }).client.query("{x}");
  await expect(answered("<html>", { status: 503, headers: { "Retry-After": "3" } })).rejects.toMatchObject({
    code: "UNAVAILABLE",
    retryAfterMs: 3_000,
  });
  await expect(answered("<html>", { status: 404 })).rejects.toMatchObject({ code: "NETWORK" });
  server.up = false;
  await expect(client.query("{x}")).rejects.toMatchObject({ code: "NETWORK" });
});

test("a query that nobody answers fails, and so does one that is not wanted any more", async () => {
  const { client } = open({ fetch: () => new Promise(() => {}) });
  const slow = client.query("{x}").catch((error: unknown) => error);
  await pass(15);
  expect(await slow).toMatchObject({ code: "NETWORK" });

  const request = new AbortController();
  const unwanted = client.query("{x}", {}, request).catch((error: unknown) => error);
  await pass(1);
  request.abort("enough");
  expect(await unwanted).toBe("enough");
  expect(await client.query("{x}", {}, request).catch((error: unknown) => error)).toBe("enough");
  expect(vi.getTimerCount()).toBe(0);
});
