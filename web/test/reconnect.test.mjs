// The official graphql-ws client, across a restart of the server.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "graphql-ws";
import WebSocket from "ws";
import { startServer } from "./server.mjs";

const timeout = 60_000;

/** @typedef {{ cursor: string, reset: boolean, events: { type: string, userId: string }[] }} Delta */

test("a subscription goes on after the server was restarted", { timeout }, async () => {
  const bin = process.env.ROLLCALL_BIN;
  assert.ok(bin, "set ROLLCALL_BIN");
  let server = await startServer(bin);
  const { host } = new URL(server.url);
  /** @type {number[]} */
  const closed = [];
  let connected = 0;
  const client = createClient({
    url: `ws://${host}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { Authorization: "dev:watcher" },
    retryAttempts: 100,
    retryWait: () => sleep(100),
    shouldRetry: () => true, // by itself it gives up when a connection is refused
    on: {
      connected: () => void connected++,
      closed: (event) => void closed.push(/** @type {CloseEvent} */ (event).code),
    },
  });
  try {
    const deltas = client.iterate({ query: "subscription { presenceChanged { cursor reset events { type userId } } }" });
    /** @returns {Promise<Delta>} */
    const next = async () => {
      const { value } = await deltas.next();
      assert.equal(value.errors, undefined);
      return value.data.presenceChanged;
    };
    assert.deepEqual((await next()).events, []);
    await signIn(host, "alice");
    assert.deepEqual((await next()).events, [{ type: "ONLINE", userId: "alice" }]);

    await server.stop();
    server = await startServer(bin, { ROLLCALL_HTTP_ADDR: host });
    assert.deepEqual((await next()).events, [], "the first delta of the new connection");
    await signIn(host, "bob");
    assert.deepEqual((await next()).events, [{ type: "ONLINE", userId: "bob" }]);
    assert.equal(connected, 2);
    assert.equal(closed[0], 1012, "the server said that it restarts");
  } finally {
    await client.dispose();
    await server.stop();
  }
});

/**
 * @param {string} host
 * @param {string} user
 */
async function signIn(host, user) {
  const answer = await fetch(`http://${host}/graphql`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer dev:${user}` },
    body: JSON.stringify({ query: 'mutation { heartbeat(input: { deviceId: "phone" }) { outcome } }' }),
  });
  assert.equal((await answer.json()).data.heartbeat.outcome, "SIGNED_IN");
}
