// A walk through Rollcall's presence rules with two users, three devices and one watcher.
//
// Every step is checked: the script ends with code 1 at the first answer or event that is not the
// expected one, and each wait is bounded, by the leases that the server gives out.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { Device, endpoint } from "./device.mjs";
import { say } from "./print.mjs";
import { Watcher } from "./watcher.mjs";

// Ids of this run only, so that it can be repeated at once and beside other users.
const run = randomBytes(3).toString("hex");
const alice = `alice-${run}`;
const bob = `bob-${run}`;

/** How long an event may take to arrive that nothing holds up. */
const soonMs = 5_000;

async function walk() {
  say("walk", `against ${endpoint.href}`);
  const laptop = new Device(alice, "laptop");
  const phone = new Device(alice, "phone");
  const desktop = new Device(bob, "desktop");

  say("walk", "1. Two users come online while somebody watches.");
  let watcher = await Watcher.open([alice, bob]);
  assert.equal((await laptop.signIn()).outcome, "SIGNED_IN");
  await watcher.expect(soonMs, "ONLINE", alice);
  const lastBeat = await desktop.signIn();
  assert.equal(lastBeat.outcome, "SIGNED_IN");
  await watcher.expect(soonMs, "ONLINE", bob);

  say("walk", "2. Alice takes her phone. The newest sign-in wins, and she was never offline.");
  assert.equal((await phone.signIn()).outcome, "REPLACED_OTHER_DEVICE");
  const takeover = await watcher.expect(soonMs, "UPDATED", alice);
  assert.equal(takeover.presence.status, "ONLINE");
  assert.equal(await laptop.beatRefused(), "SESSION_REPLACED");

  say("walk", "3. Bob's desktop falls silent; the phone goes on beating.");
  const leaseMs = Date.parse(lastBeat.expiresAt) - Date.parse(lastBeat.serverTime);
  say("walk", `   Bob's lease of ${leaseMs / 1000} s ends by itself.`);
  phone.keepBeating();
  const expiry = await watcher.expect(leaseMs + soonMs, "OFFLINE", bob, "EXPIRED");
  const late = Date.parse(expiry.at) - Date.parse(lastBeat.expiresAt);
  assert.ok(late >= 0, `offline ${-late} ms before the lease's end`);

  say("walk", "4. The watcher loses its connection and misses a change.");
  const { cursor } = watcher;
  watcher.drop();
  assert.equal((await desktop.signIn()).outcome, "SIGNED_IN");

  say("walk", "5. It resumes after the last delta it saw: exactly what it missed, no more.");
  watcher = await Watcher.open([alice, bob], cursor);
  await watcher.expect(soonMs, "ONLINE", bob);
  assert.equal(watcher.sawReset, false, "the log reaches back, so nothing may be lost");

  say("walk", "6. Both sign out. A beat that comes after that revives nobody.");
  await phone.stopBeating();
  assert.equal(await phone.goOffline(), true);
  await watcher.expect(soonMs, "OFFLINE", alice, "SIGNED_OUT");
  assert.equal(await desktop.goOffline(), true);
  await watcher.expect(soonMs, "OFFLINE", bob, "SIGNED_OUT");
  assert.equal(await phone.beatRefused(), "SESSION_ENDED");

  watcher.drop();
  say("walk", "All as expected.");
}

try {
  await fetch(new URL("/healthz", endpoint));
} catch {
  say("walk", `No server answers at ${endpoint.href}: start one, or name it in ROLLCALL_URL.`);
  process.exit(1);
}
try {
  await walk();
  process.exit(0);
} catch (error) {
  say("walk", "Not as expected:");
  console.error(error);
  process.exit(1);
}
