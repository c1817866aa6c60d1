// Who saw what happened: a subscription to all events of its own, by a client that is not ours.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "graphql-ws";
import WebSocket from "ws";
import { eventually } from "./eventually.mjs";

/**
 * @typedef {object} Told
 * @property {string} userId
 * @property {"ONLINE" | "OFFLINE" | "UPDATED"} type
 * @property {string | null} reason
 * @property {string} at
 * @property {{ status: string, lastActiveAt: string | null }} presence
 */

/**
 * @typedef {object} Witness
 * @property {(userId?: string) => Told[]} events what it has been told, the first first; fails if it missed any
 * @property {() => Promise<void>} stop
 */

const query = `subscription ($since: String) {
  presenceChanged(since: $since) {
    cursor reset events { type userId reason at presence { status lastActiveAt } }
  }
}`;

/**
 * Follows the events of a node from now on.
 *
 * @param {string} url the node's
 * @returns {Promise<Witness>}
 */
export async function startWitness(url) {
  const address = new URL("/graphql", url);
  address.protocol = "ws:";
  const client = createClient({
    url: address.href,
    webSocketImpl: WebSocket,
    connectionParams: { Authorization: "dev:witness:admin" },
    retryAttempts: 0,
  });
  /** @type {Told[]} */
  const told = [];
  /** @type {string | undefined} */
  let since;
  /** @type {unknown} */
  let failure;
  let stopped = false;

  async function follow() {
    while (!stopped) {
      try {
        for await (const { data, errors } of client.iterate({ query, variables: { since } })) {
          assert.equal(errors, undefined);
          const { cursor, reset, events } = /** @type {any} */ (data).presenceChanged;
          assert.ok(!reset, "the witness lost its place");
          since = cursor;
          told.push(...events);
        }
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error;
        await sleep(100); // a socket that a busy machine loses is opened again, and goes on where it was
      }
    }
  }
  follow().catch((error) => {
    failure = error;
  });
  await eventually("a witness", () => failure ?? since);
  return {
    events(userId) {
      assert.equal(failure, undefined);
      return told.filter((event) => userId === undefined || event.userId === userId);
    },
    async stop() {
      stopped = true;
      await client.dispose();
    },
  };
}
