// The client library in a real browser, by its example page: tabs are one device, and the last to close goes offline.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { fileURLToPath } from "node:url";
import { launch, screenshot, watch } from "./browser.mjs";
import { findServer } from "./server.mjs";

const timeoutMs = 30_000;

/** @type {import("./server.mjs").Server} */
let server;
/** @type {import("node:child_process").ChildProcess} */
let example;
/** @type {string} */
let url;
/** @type {import("playwright-core").Browser} */
let browser;
/** @type {import("playwright-core").BrowserContext} */
let context;
/** @type {ReturnType<typeof watch>} */
let seen;

before(async () => {
  server = await findServer();
  const script = fileURLToPath(new URL("../../examples/online/serve.mjs", import.meta.url));
  const child = spawn(process.execPath, [script], {
    env: { ...process.env, ROLLCALL_URL: server.url, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  example = child;
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  url = /http:\S+\//.exec(line)?.[0] ?? "";
  browser = await launch();
});
after(async () => {
  await browser?.close();
  example?.kill();
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

/** @param {string} user */
async function open(user) {
  const page = await context.newPage();
  await page.goto(`${url}?user=${user}`);
  return page;
}

/**
 * Waits until a page says how its own presence stands.
 *
 * @param {import("playwright-core").Page} page
 * @param {string} text
 */
async function says(page, text) {
  await page.locator("#status", { hasText: text }).waitFor();
}

/**
 * @param {string} query
 * @param {string} user
 */
async function ask(query, user) {
  const response = await fetch(new URL("/graphql", server.url), {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer dev:${user}` },
    body: JSON.stringify({ query }),
  });
  return /** @type {Promise<any>} */ (response.json());
}

/** @param {string} user */
async function presenceOf(user) {
  const { data } = await ask(`{ presence(userIds: ["${user}"]) { status deviceId onlineSince } }`, `${user}:admin`);
  return data.presence[0];
}

test("two tabs are one device, and the second takes over when the first closes", async () => {
  const first = await open("tabs");
  await says(first, "online");
  const before = await presenceOf("tabs");
  const second = await open("tabs");
  await says(second, "online");

  await first.close();
  // The next leader says at once that it is there: the session subscription of a socket that had none.
  await says(second, "online");
  await second.locator("#users", { hasText: "tabs" }).waitFor();
  const since = await presenceOf("tabs");
  assert.deepEqual([since.deviceId, since.onlineSince], [before.deviceId, before.onlineSince], "it was never offline");
  assert.equal(since.status, "ONLINE");
  await screenshot(second, "online-two-tabs");

  const other = await open("somebody");
  await other.locator("#users", { hasText: "tabs" }).waitFor();
  await second.goto("about:blank");
  await other.locator("#users", { hasText: "tabs" }).waitFor({ state: "hidden" });
  assert.equal((await presenceOf("tabs")).status, "OFFLINE", "nobody waits for the lease to end");
});

test("a sign-in on another device is told by all tabs, and they stop", async () => {
  const tabs = [await open("mover"), await open("mover")];
  for (const tab of tabs) await says(tab, "online");
  const { data } = await ask(`mutation { heartbeat(input: { deviceId: "phone" }) { outcome } }`, "mover");
  assert.equal(data.heartbeat.outcome, "REPLACED_OTHER_DEVICE");
  for (const tab of tabs) await says(tab, "signed in on another device");
  assert.equal((await presenceOf("mover")).deviceId, "phone");
  const [tab] = tabs;
  assert.ok(tab);
  await screenshot(tab, "online-replaced");

  await tab.getByRole("button", { name: "Be online here" }).click();
  await says(tab, "online");
  assert.notEqual((await presenceOf("mover")).deviceId, "phone");
});
