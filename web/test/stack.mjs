// A deployment of a test's own: Redis, PostgreSQL with demo users, and any number of nodes.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { startServer } from "./server.mjs";
import { startPostgres, startRedis } from "./services.mjs";

/**
 * @typedef {object} Stack
 * @property {import("./services.mjs").Database} postgres
 * @property {(settings?: Record<string, string>) => Promise<import("./server.mjs").Server>} node starts one more
 * @property {() => Promise<void>} stop stops all of it, with the nodes that still run
 */

/**
 * @param {Record<string, string>} [settings] of all nodes
 * @param {{ users?: number }} [options] how many demo users there are
 * @returns {Promise<Stack>}
 */
export async function startStack(settings, { users = 200 } = {}) {
  const bin = process.env.ROLLCALL_BIN;
  assert.ok(bin, "set ROLLCALL_BIN");
  /** @type {(() => Promise<void>)[]} */
  const stops = []; // the first is what the others need
  const stop = async () => {
    for (let last = stops.pop(); last; last = stops.pop()) await last();
  };
  try {
    const redis = await startRedis();
    stops.push(redis.stop);
    const postgres = await startPostgres();
    stops.push(postgres.stop);
    await promisify(execFile)(bin, ["seed", "--users", String(users), "--database-url", postgres.url]);
    return {
      postgres,
      async node(own) {
        const server = await startServer(bin, {
          ROLLCALL_REDIS_URL: redis.url,
          ROLLCALL_DATABASE_URL: postgres.url,
          ...settings,
          ...own,
        });
        let running = true;
        /** @param {() => Promise<void>} end */
        const once = (end) => async () => {
          if (!running) return;
          running = false;
          await end();
        };
        const node = { url: server.url, stop: once(server.stop), kill: once(server.kill) };
        stops.push(node.stop);
        return node;
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
