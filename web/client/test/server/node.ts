// The servers that these tests run against, and waiting for what they do.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { vi } from "vitest";
import WebSocket from "ws";
import { startServer } from "../../../test/server.mjs";
import type { ClientOptions, Watch } from "../../src/index.js";

/** Starts a node of the binary in ROLLCALL_BIN, by default with leases of four seconds. */
export async function startNode(settings: Record<string, string> = {}) {
  const bin = process.env.ROLLCALL_BIN;
  if (!bin) throw new Error("set ROLLCALL_BIN to the binary to start");
  const server = await startServer(bin, { ROLLCALL_TTL: "4s", ROLLCALL_BACKGROUND_TTL: "6s", ...settings });
  return {
    url: new URL("/graphql", server.url).href,
    host: new URL(server.url).host,
    stop: server.stop,
    [Symbol.asyncDispose]: server.stop,
  };
}

/** Starts a Redis of the test's own. */
export async function startRedis() {
  const port = await freePort();
  const child = spawn(
    "redis-server",
    ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const exited = once(child, "exit");
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.includes("Ready to accept connections")) break;
  }
  child.stdout.resume();
  return {
    url: `redis://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      child.kill();
      await exited;
    },
  };
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** Options for a client of a node, as `user`. */
export const as = (user: string, { url }: { url: string }): ClientOptions => ({
  url,
  token: `dev:${user}`,
  webSocketImpl: WebSocket,
});

/** Waits for what is expected to hold; patiently, since the machine may be busy. */
export const eventually = (expectation: () => void) => vi.waitFor(expectation, { timeout: 30_000, interval: 20 });

/** What a watch tells, a word or two each, once it is live. */
export async function record(watch: Watch) {
  const told: string[] = [];
  watch.on("gap", () => told.push("gap"));
  watch.on("error", ({ code }) => told.push(`error ${code}`));
  watch.on("events", (events) => {
    for (const { userId, type, reason } of events) told.push(`${userId} ${type}${reason ? ` ${reason}` : ""}`);
  });
  await new Promise((live) => watch.on("live", live));
  return told;
}
