// What keeps one device online, and what ends it, over WebSocket and without. The server's time runs twenty times as
// fast as by default: a minute takes three seconds.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { presenceOf } from "./api.mjs";
import { launch, screenshot } from "./browser.mjs";
import { eventually } from "./eventually.mjs";
import { open, says, startExample } from "./example.mjs";
import { blockWebSocket, hideable, setHidden } from "./page.mjs";
import { startStack } from "./stack.mjs";
import { startWitness } from "./witness.mjs";

const timeoutMs = 30_000;
const minuteMs = 3_000;
const ways = /** @type {const} */ (["websocket", "sse"]);

/** @type {import("./stack.mjs").Stack} */
let stack;
/** @type {import("./example.mjs").Example} */
let example;
/** @type {import("./witness.mjs").Witness} */
let witness;
/** @type {import("playwright-core").Browser} */
let browser;
/** The node's address. */
let url = "";

before(async () => {
  stack = await startStack({
    ROLLCALL_TTL: `${minuteMs}ms`,
    ROLLCALL_BACKGROUND_TTL: `${2.5 * minuteMs}ms`,
    ROLLCALL_AWAY_AFTER: `${5 * minuteMs}ms`,
  });
  ({ url } = await stack.node());
  example = await startExample(url);
  witness = await startWitness(url);
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await witness?.stop();
  example?.stop();
  await stack?.stop();
});

/**
 * A browser of its own, and so a device.
 *
 * @param {typeof ways[number]} way how its pages reach the server
 */
async function device(way) {
  const context = await browser.newContext();
  context.setDefaultTimeout(timeoutMs);
  await context.addInitScript(hideable, minuteMs);
  if (way === "sse") await context.addInitScript(blockWebSocket);
  return context;
}

/**
 * Opens a user's page and waits until it is online, by the way that is meant.
 *
 * @param {import("playwright-core").BrowserContext} context
 * @param {string} user
 * @param {typeof ways[number]} way
 */
async function online(context, user, way) {
  const page = await open(context, example, user);
  await says(page, "online");
  await page.locator("#connection", { hasText: `Connected by ${way}.` }).waitFor();
  return page;
}

/**
 * Counts the beats that a context's pages send: requests, and starts of the session's subscription.
 *
 * @param {import("playwright-core").BrowserContext} context
 */
function countBeats(context) {
  const sent = { beats: 0 };
  const look = (/** @type {unknown} */ text) => {
    if (String(text).includes("HeartbeatInput")) sent.beats++;
  };
  context.on("request", (request) => look(request.postData()));
  context.on("page", (page) =>
    page.on("websocket", (socket) => socket.on("framesent", ({ payload }) => look(payload))),
  );
  return sent;
}

describe("a page", { concurrency: true }, () => {
  for (const way of ways) {
    // Case 3 (docs/cases.md).
    test(`hidden for ten minutes stays online, AWAY after five, by ${way}`, async (t) => {
      const user = `hidden-${way}`;
      const context = await device(way);
      const sent = countBeats(context);
      const page = await online(context, user, way);
      const before = sent.beats;
      await setHidden(page, true);
      // What is tested here is that nothing happens in all this time.
      for (const end = Date.now() + 10 * minuteMs; Date.now() < end; await sleep(100)) {
        assert.notEqual((await presenceOf(url, user)).status, "OFFLINE");
      }
      assert.equal((await presenceOf(url, user)).status, "AWAY");
      t.diagnostic(`${sent.beats - before} beats in ten minutes, by ${way}`);
      await setHidden(page, false);
      await eventually("the user is back", () => witness.events(user).length > 2);
      const told = witness.events(user);
      assert.deepEqual(
        told.map(({ type, presence }) => [type, presence.status]),
        [
          ["ONLINE", "ONLINE"],
          ["UPDATED", "AWAY"],
          ["UPDATED", "ONLINE"],
        ],
      );
      const [, away] = told;
      const idleMs = Date.parse(away?.at ?? "") - Date.parse(away?.presence.lastActiveAt ?? "");
      t.diagnostic(`AWAY after ${((idleMs / minuteMs) * 60).toFixed(1)} s without activity, by ${way}`);
      assert.ok(idleMs >= 5 * minuteMs);
      await says(page, "online");
      await context.close();
    });

    // Case 5 (docs/cases.md).
    test(`says that another device has taken over, and stops, by ${way}`, async () => {
      const user = `mover-${way}`;
      const [old, newer] = [await device(way), await device(way)];
      const sent = countBeats(old);
      const first = await online(old, user, way);
      const before = await presenceOf(url, user);
      const second = await online(newer, user, way);
      await says(first, "signed in on another device");
      assert.equal(await first.locator("#status").getAttribute("data-status"), "replaced");
      await screenshot(first, `live-replaced-${way}`);
      const after = await presenceOf(url, user);
      assert.notEqual(after.deviceId, before.deviceId);
      assert.equal(after.onlineSince, before.onlineSince, "it was never offline");

      // All that makes a page beat which is online, and time enough for a few beats that were due.
      const { beats } = sent;
      assert.ok(beats > 0);
      await first.mouse.move(50, 50);
      await first.mouse.move(90, 90);
      await first.keyboard.press("Shift");
      await setHidden(first, true);
      await setHidden(first, false);
      await first.evaluate(() => ["offline", "online"].forEach((type) => dispatchEvent(new Event(type))));
      await sleep(3 * minuteMs);
      assert.equal(sent.beats, beats, "no beat after it was replaced");
      await says(first, "signed in on another device");
      await says(second, "online");
      assert.equal((await presenceOf(url, user)).deviceId, after.deviceId, "it does not fight back");

      await first.getByRole("button", { name: "Be online here" }).click();
      await says(first, "online");
      await says(second, "signed in on another device");
      assert.deepEqual(
        witness.events(user).filter(({ type }) => type !== "UPDATED").map(({ type }) => type),
        ["ONLINE"],
        "no takeover is told as going and coming",
      );
      await old.close();
      await newer.close();
    });
  }
});
