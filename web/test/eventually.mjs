// Waiting for what is to happen, patiently, since the machine may be busy.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";

const withinMs = 30_000;

/**
 * Looks until it is there.
 *
 * @param {string} what it is that is waited for
 * @param {() => unknown} look
 */
export async function eventually(what, look) {
  for (const deadline = Date.now() + withinMs; !(await look()); await sleep(20)) {
    assert.ok(Date.now() < deadline, `not in time: ${what}`);
  }
}
