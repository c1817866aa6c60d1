// The client library in a real browser, by its example page: tabs are one device, and the last to close goes offline.
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { presenceOf, signIn } from "./api.mjs";
import { launch, screenshot, watch } from "./browser.mjs";
import { open, says, startExample } from "./example.mjs";
import { findServer } from "./server.mjs";

const timeoutMs = 30_000;

/** @type {import("./server.mjs").Server} */
let server;
/** @type {import("./example.mjs").Example} */
let example;
/** @type {import("playwright-core").Browser} */
let browser;
/** @type {import("playwright-core").BrowserContext} */
let context;
/** @type {ReturnType<typeof watch>} */
let seen;

before(async () => {
  server = await findServer();
  example = await startExample(server.url);
  browser = await launch();
});
after(async () => {
  await browser?.close();
  example?.stop();
  await server?.stop();
});

beforeEach(async () => {
  context = await browser.newContext();
  context.setDefaultTimeout(timeoutMs);
  seen = watch(context);
});
afterEach(async () => {
  await context.close();
  assert.deepEqual(seen.errors, []);
});

test("two tabs are one device, and the second takes over when the first closes", async () => {
  const first = await open(context, example, "tabs");
  await says(first, "online");
  const before = await presenceOf(server.url, "tabs");
  const second = await open(context, example, "tabs");
  await says(second, "online");

  await first.close();
  // The next leader says at once that it is there: the session subscription of a socket that had none.
  await says(second, "online");
  await second.locator("#users", { hasText: "tabs" }).waitFor();
  const since = await presenceOf(server.url, "tabs");
  assert.deepEqual([since.deviceId, since.onlineSince], [before.deviceId, before.onlineSince], "it was never offline");
  assert.equal(since.status, "ONLINE");
  await screenshot(second, "online-two-tabs");

  const other = await open(context, example, "somebody");
  await other.locator("#users", { hasText: "tabs" }).waitFor();
  await second.goto("about:blank");
  await other.locator("#users", { hasText: "tabs" }).waitFor({ state: "hidden" });
  assert.equal((await presenceOf(server.url, "tabs")).status, "OFFLINE", "nobody waits for the lease to end");
});

test("a sign-in on another device is told by all tabs, and they stop", async () => {
  const tabs = [await open(context, example, "mover"), await open(context, example, "mover")];
  for (const tab of tabs) await says(tab, "online");
  await signIn(server.url, "mover");
  for (const tab of tabs) await says(tab, "signed in on another device");
  assert.equal((await presenceOf(server.url, "mover")).deviceId, "phone");
  const [tab] = tabs;
  assert.ok(tab);
  await screenshot(tab, "online-replaced");

  await tab.getByRole("button", { name: "Be online here" }).click();
  await says(tab, "online");
  assert.notEqual((await presenceOf(server.url, "mover")).deviceId, "phone");
});
