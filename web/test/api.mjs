// The API, as these tests use it behind the pages' backs.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";

const withinMs = 30_000;

/**
 * Asks a server, and fails if it answers with an error; but one that says UNAVAILABLE is asked again when it wants to
 * be, since on a busy machine its Redis may be late.
 *
 * @param {string} url the server's
 * @param {string} token
 * @param {string} query
 * @param {Record<string, unknown>} [variables]
 */
export async function ask(url, token, query, variables = {}) {
  for (const deadline = Date.now() + withinMs; ; ) {
    const response = await fetch(new URL("/graphql", url), {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = await response.json();
    const { code, retryAfterMs } = errors?.[0].extensions ?? {};
    if (code !== "UNAVAILABLE" || Date.now() > deadline) {
      assert.equal(errors, undefined);
      return data;
    }
    await sleep(retryAfterMs);
  }
}

/**
 * Reports heartbeats of users, as a gateway does.
 *
 * @param {string} url the server's
 * @param {string[]} ids at most 1000
 * @param {{ deviceId?: string, active?: boolean }} [options]
 */
export async function beat(url, ids, { deviceId = "phone", active = true } = {}) {
  const input = ids.map((userId) => ({ userId, deviceId, active }));
  const query = "mutation ($input: [UserHeartbeatInput!]!) { heartbeats(input: $input) { accepted } }";
  const { heartbeats } = await ask(url, "dev:gateway:service", query, { input });
  assert.equal(heartbeats.accepted, ids.length);
}

/**
 * Signs a user in, and returns the session's token.
 *
 * @param {string} url the server's
 * @param {string} userId
 * @param {string} [deviceId]
 * @returns {Promise<string>}
 */
export async function signIn(url, userId, deviceId = "phone") {
  const query = "mutation ($input: HeartbeatInput!) { heartbeat(input: $input) { session } }";
  const { heartbeat } = await ask(url, `dev:${userId}`, query, { input: { deviceId } });
  return heartbeat.session;
}

/**
 * Signs a user out.
 *
 * @param {string} url the server's
 * @param {string} userId
 * @param {string} session of their device
 * @param {string} [deviceId]
 */
export async function signOut(url, userId, session, deviceId = "phone") {
  const query = "mutation ($input: GoOfflineInput!) { goOffline(input: $input) { ended } }";
  await ask(url, `dev:${userId}`, query, { input: { deviceId, session } });
}

/**
 * Ends a user's session.
 *
 * @param {string} url the server's
 * @param {string} userId
 */
export async function disconnect(url, userId) {
  const query = "mutation ($userId: ID!) { disconnectUser(userId: $userId) { ended } }";
  await ask(url, "dev:root:admin", query, { userId });
}

/**
 * A user's presence, as an administrator sees it.
 *
 * @param {string} url the server's
 * @param {string} userId
 * @returns {Promise<{ status: string, deviceId: string | null, onlineSince: string | null }>}
 */
export async function presenceOf(url, userId) {
  const query = "query ($userIds: [ID!]!) { presence(userIds: $userIds) { status deviceId onlineSince } }";
  const { presence } = await ask(url, "dev:root:admin", query, { userIds: [userId] });
  return presence[0];
}

/**
 * Ids of demo users.
 *
 * @param {number} from
 * @param {number} count
 */
export const demoUsers = (from, count) => Array.from({ length: count }, (_, i) => `user-${from + i}`);
