import assert from "node:assert/strict";
import { createClient } from "graphql-ws";
import WebSocket from "ws";
import { endpoint } from "./device.mjs";
import { say } from "./print.mjs";

const openTimeoutMs = 10_000;

const presenceChanged = `
  subscription ($userIds: [ID!], $since: String) {
    presenceChanged(userIds: $userIds, since: $since) {
      cursor
      reset
      events { type userId reason at presence { status } }
    }
  }`;

/** @typedef {{type: string, userId: string, reason: string | null, at: string, presence: {status: string}}} Event */
/** @typedef {{cursor: string, reset: boolean, events: Event[]}} Delta */

/** Somebody who watches users come and go, on a socket of their own. */
export class Watcher {
  #client;
  #deltas;
  /** @type {Event[]} events received and not yet taken by expect */
  #events = [];

  /** Where to resume: the cursor of the last delta received. */
  cursor = "";
  /** Whether a delta said that events may be missing. */
  sawReset = false;

  /**
   * @param {string[]} userIds
   * @param {string} [since]
   */
  constructor(userIds, since) {
    const url = new URL(endpoint);
    url.protocol = endpoint.protocol === "https:" ? "wss:" : "ws:";
    this.#client = createClient({
      url: url.href,
      webSocketImpl: WebSocket,
      connectionParams: { Authorization: "Bearer dev:watcher" },
      retryAttempts: 0, // this walk-through reconnects by hand, to show how
    });
    this.#deltas = this.#client.iterate({ query: presenceChanged, variables: { userIds, since: since ?? null } });
  }

  /**
   * Subscribes, and waits for the first delta: from then on nothing is missed.
   *
   * @param {string[]} userIds
   * @param {string} [since] the cursor of an earlier delta
   */
  static async open(userIds, since) {
    const watcher = new Watcher(userIds, since);
    await watcher.#receive(openTimeoutMs);
    say("watcher", since === undefined ? "watches" : "watches again, since its last cursor");
    return watcher;
  }

  /**
   * Waits for the next event and checks that it is this one and no other.
   *
   * @param {number} withinMs
   * @param {string} type
   * @param {string} userId
   * @param {string | null} [reason]
   * @returns {Promise<Event>}
   */
  async expect(withinMs, type, userId, reason = null) {
    const deadline = Date.now() + withinMs;
    while (this.#events.length === 0) await this.#receive(deadline - Date.now());
    const event = /** @type {Event} */ (this.#events.shift());
    say("watcher", `sees ${event.userId} ${event.type}${event.reason ? ` (${event.reason})` : ""}`);
    assert.deepEqual(
      { type: event.type, userId: event.userId, reason: event.reason },
      { type, userId, reason },
    );
    return event;
  }

  /** Cuts the socket off without a goodbye. */
  drop() {
    this.#client.terminate();
    say("watcher", "is gone");
  }

  /** @param {number} withinMs */
  async #receive(withinMs) {
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    const timeout = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`the watcher heard nothing for ${withinMs} ms`)), withinMs);
    });
    try {
      const { value, done } = await Promise.race([this.#deltas.next(), /** @type {Promise<never>} */ (timeout)]);
      assert.ok(!done, "the subscription ended");
      assert.equal(value.errors, undefined);
      const delta = /** @type {Delta} */ (value.data?.presenceChanged);
      this.cursor = delta.cursor;
      this.sawReset ||= delta.reset;
      this.#events.push(...delta.events);
    } finally {
      clearTimeout(timer);
    }
  }
}
