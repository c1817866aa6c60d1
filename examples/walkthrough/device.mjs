import assert from "node:assert/strict";
import { say } from "./print.mjs";

/** The API; any address of the server will do in ROLLCALL_URL. */
export const endpoint = new URL("/graphql", process.env.ROLLCALL_URL || "http://127.0.0.1:8080");

const requestTimeoutMs = 10_000;

/**
 * @typedef {object} Heartbeat
 * @property {string} outcome
 * @property {string} session
 * @property {string} serverTime
 * @property {string} expiresAt
 * @property {number} nextHeartbeatInMs
 */

/** A refusal by the API; `code` is its `extensions.code`. */
class Refused extends Error {
  /** @param {{message: string, extensions?: {code?: string}}} error */
  constructor(error) {
    super(error.message);
    this.code = error.extensions?.code ?? "(no code)";
  }
}

/** One device of one user: what an app does to be present. */
export class Device {
  #user;
  #deviceId;
  /** @type {string | undefined} */
  #session;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  /** @type {Promise<unknown>} */
  #beating = Promise.resolve();

  /**
   * @param {string} user
   * @param {string} deviceId
   */
  constructor(user, deviceId) {
    this.#user = user;
    this.#deviceId = deviceId;
  }

  /** A heartbeat without a session: signs this device in and any other device of the user out. */
  async signIn() {
    this.#session = undefined;
    return this.#beat();
  }

  /** Beats once where a refusal is due, and returns its code. */
  async beatRefused() {
    const refusal = await this.#beat().then(
      () => undefined,
      (error) => error,
    );
    if (refusal === undefined) assert.fail(`a beat of ${this.#user}'s ${this.#deviceId} should have been refused`);
    if (!(refusal instanceof Refused)) throw refusal;
    this.#say(`beats: ${refusal.code}`);
    return refusal.code;
  }

  /** Beats from now on, each time when the answer to the last beat said. */
  keepBeating() {
    this.#beating = this.#beat().then((answer) => {
      assert.equal(answer.outcome, "REFRESHED");
      this.#timer = setTimeout(() => this.keepBeating(), answer.nextHeartbeatInMs);
    });
    // Kept for stopBeating to throw; until then it is not an unhandled rejection.
    this.#beating.catch(() => {});
  }

  /** Ends keepBeating. Throws if one of its beats went wrong. */
  async stopBeating() {
    await this.#beating;
    clearTimeout(this.#timer);
  }

  /** Signs out. False when there was no session to end. */
  async goOffline() {
    const { goOffline } = await this.#request(
      `mutation ($input: GoOfflineInput!) { goOffline(input: $input) { ended } }`,
      { input: { deviceId: this.#deviceId, session: this.#session } },
    );
    this.#say(`goes offline: ended ${goOffline.ended}`);
    return goOffline.ended;
  }

  /** @returns {Promise<Heartbeat>} */
  async #beat() {
    const { heartbeat } = await this.#request(
      `mutation ($input: HeartbeatInput!) {
        heartbeat(input: $input) { outcome session serverTime expiresAt nextHeartbeatInMs }
      }`,
      { input: { deviceId: this.#deviceId, session: this.#session } },
    );
    this.#session = heartbeat.session;
    this.#say(`beats: ${heartbeat.outcome}`);
    return heartbeat;
  }

  /**
   * @param {string} query
   * @param {object} variables
   */
  async #request(query, variables) {
    const response = await fetch(endpoint, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer dev:${this.#user}` },
      body: JSON.stringify({ query, variables }),
      signal: AbortSignal.timeout(requestTimeoutMs),
    });
    const { data, errors } = /** @type {any} */ (await response.json());
    if (errors) throw new Refused(errors[0]);
    return data;
  }

  /** @param {string} what */
  #say(what) {
    say(`${this.#user}/${this.#deviceId}`, what);
  }
}
