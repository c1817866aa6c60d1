// The GraphiQL page, as a visitor meets it: in a real browser, against a real server.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, afterEach, before, test } from "node:test";
import { launch, screenshot, watch } from "./browser.mjs";
import { findServer } from "./server.mjs";

const timeoutMs = 30_000;

/** @type {import("./server.mjs").Server} */
let server;
/** @type {import("playwright-core").Browser} */
let browser;
/** @type {import("playwright-core").BrowserContext} */
let context;
/** @type {import("playwright-core").Page} */
let page;
/** @type {ReturnType<typeof watch>} */
let seen;

before(async () => {
  server = await findServer();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

afterEach(async () => {
  await context.close();
  assert.deepEqual(seen.errors, []);
  assert.ok(seen.requests.length > 0);
  const hosts = new Set(seen.requests.map((url) => url.host));
  assert.deepEqual([...hosts], [new URL(server.url).host], "a request left the origin");
});

/**
 * Opens the page as a first-time visitor, and waits for its editors: the buttons are there before, and do
 * nothing yet.
 *
 * @param {import("playwright-core").BrowserContextOptions} [options]
 * @param {() => Promise<unknown>} [prepare] done before the page is loaded
 */
async function open(options, prepare) {
  context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(timeoutMs);
  seen = watch(context);
  page = await context.newPage();
  await prepare?.();
  await page.goto(server.url);
  await shows("Operation Editor", "mutation Heartbeat");
  await shows("Headers", "Authorization");
  await page.getByLabel("Result Window").locator(".view-lines").waitFor({ state: "attached" });
}

/**
 * Changes to a tab and waits until GraphiQL has read it: it does so a moment after the tab is shown, and
 * a run before that would ask for the operation of the tab before.
 *
 * @param {string} name
 */
async function selectTab(name) {
  await page.getByRole("tab", { name, exact: true }).getByRole("button", { name, exact: true }).click();
  await page.waitForFunction((operation) => {
    const key = "rollcall:graphiql:query";
    return (localStorage.getItem(key) ?? sessionStorage.getItem(key))?.includes(operation);
  }, ` ${name} {`);
}

async function run() {
  await page.getByRole("button", { name: /^Execute query/ }).click();
}

/** @param {string} text */
const answerShows = (text) => shows("Result Window", text);

/** @param {string} text */
const headersShow = (text) => shows("Headers", text);

/**
 * Waits until a part of the page shows a text; a picture is kept of one that does not.
 *
 * @param {string} label the part's accessible name
 * @param {string} text
 */
async function shows(label, text) {
  try {
    await page.getByLabel(label, { exact: true }).filter({ hasText: text }).waitFor();
  } catch (error) {
    await screenshot(page, "graphiql-failed");
    throw error;
  }
}

/**
 * Signs a user in behind the page's back, and returns the outcome.
 *
 * @param {string} user
 */
async function signIn(user) {
  const response = await fetch(new URL("/graphql", server.url), {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer dev:${user}` },
    body: JSON.stringify({ query: `mutation { heartbeat(input: {deviceId: "elsewhere"}) { outcome } }` }),
  });
  const { data, errors } = /** @type {{data?: {heartbeat: {outcome: string}}, errors?: unknown}} */ (
    await response.json()
  );
  assert.equal(errors, undefined);
  return data?.heartbeat.outcome;
}

test("the examples are ready to run", async () => {
  await open();
  assert.equal(await page.title(), "Rollcall");
  await headersShow(`"Authorization": "Bearer dev:alice"`);

  await run();
  await answerShows(`"id": "alice"`);
  await screenshot(page, "graphiql-heartbeat");

  await selectTab("OnlineUsers");
  await run();
  await answerShows(`"id": "alice"`);
  await screenshot(page, "graphiql-online-users");

  await selectTab("OnlineCount");
  await run();
  await answerShows(`"onlineCount":`);

  await selectTab("Cluster");
  await headersShow("Bearer dev:alice:admin");
  await run();
  await answerShows(`"imbalance":`);
});

test("a subscription shows an event as it happens", async () => {
  await open();
  const visitor = `visitor-${randomUUID()}`;
  await selectTab("PresenceChanged");
  const opened = page.waitForEvent("websocket");
  await run();
  await answerShows(`"cursor":`);

  assert.equal(await signIn(visitor), "SIGNED_IN");
  await answerShows(visitor);
  await answerShows(`"type": "ONLINE"`);
  await screenshot(page, "graphiql-presence-changed");

  await page.getByRole("button", { name: /^Stop query/ }).click();
  await page.getByRole("button", { name: /^Execute query/ }).waitFor();
  const socket = await opened;
  if (!socket.isClosed()) await socket.waitForEvent("close");
});

test("a session is kept until a newer sign-in replaces it", async () => {
  await open();
  await selectTab("Session");
  await run();
  await answerShows(`"type": "STARTED"`);
  await screenshot(page, "graphiql-session");

  assert.equal(await signIn("alice"), "REPLACED_OTHER_DEVICE");
  await answerShows(`"type": "REPLACED"`);
  await page.getByRole("button", { name: /^Execute query/ }).waitFor();
});

test("the list is told at once and when it changes", async () => {
  await open();
  const visitor = `visitor-${randomUUID()}`;
  await selectTab("OnlineUsersChanged");
  await run();
  await answerShows(`"totalCount":`);
  assert.equal(await signIn(visitor), "SIGNED_IN");
  await answerShows(visitor);
  await screenshot(page, "graphiql-online-users-changed");
});

test("the count is told at once and when it changes", async () => {
  await open();
  await selectTab("OnlineCountChanged");
  await run();
  const first = await shownCount(() => true);
  assert.equal(await signIn(`visitor-${randomUUID()}`), "SIGNED_IN");
  // Others' leases may end meanwhile, so not simply one more.
  await shownCount((count) => count !== first);
});

/**
 * Waits for a count in the answer that suits, and returns it.
 *
 * @param {(count: number) => boolean} suits
 */
async function shownCount(suits) {
  const answer = page.getByLabel("Result Window");
  for (const deadline = Date.now() + timeoutMs; ; await page.waitForTimeout(50)) {
    const match = /"onlineCountChanged":\s*(\d+)/.exec((await answer.textContent()) ?? "");
    const count = Number(match?.[1]);
    if (match && suits(count)) return count;
    assert.ok(Date.now() < deadline, `no such count came; the last was ${count}`);
  }
}

test("each example keeps its token over a reload", async () => {
  await open();
  await selectTab("Cluster");
  await headersShow("Bearer dev:alice:admin");
  await page.waitForFunction(() => localStorage.getItem("rollcall:graphiql:headers")?.includes(":admin"));
  await page.reload();
  await headersShow("Bearer dev:alice:admin");
  await selectTab("Heartbeat");
  await headersShow(`"Bearer dev:alice"`);
});

test("the editor completes from the schema", async () => {
  await open();
  await page.getByRole("button", { name: "New tab" }).click();
  await headersShow(`"Bearer dev:alice"`);
  await page.getByLabel("Operation Editor").locator(".view-lines").click();
  await page.keyboard.type("{ online");

  // Asked for again until it comes: nothing on the page tells when the editor has the schema.
  const suggestion = page.locator(".suggest-widget.visible").filter({ hasText: "onlineCount" });
  for (const deadline = Date.now() + timeoutMs; ; await page.waitForTimeout(200)) {
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+Space");
    if (await suggestion.waitFor({ timeout: 1000 }).then(() => true, () => false)) break;
    assert.ok(Date.now() < deadline, "no completion came");
  }
});

test("dark for those who prefer it", async () => {
  await open({ colorScheme: "dark" });
  await run();
  await answerShows(`"id": "alice"`);
  await screenshot(page, "graphiql-dark");
});

test("no dev token is filled in when the server takes JWTs", async () => {
  await open({}, () =>
    // This moment is after the page is parsed and before its script runs.
    page.addInitScript(() =>
      document.addEventListener("readystatechange", () => {
        const block = document.getElementById("rollcall");
        if (block) block.textContent = JSON.stringify({ auth: "jwt" });
      }),
    ),
  );
  await headersShow(`"Authorization": "Bearer "`);
  await shows("Operation Editor", "First paste a token into the Headers below");
  assert.ok(!(await page.content()).includes("dev:"));
  await screenshot(page, "graphiql-jwt");

  await selectTab("PresenceChanged");
  await run();
  await answerShows("The connection closed: 4403");
  assert.equal(await page.evaluate(() => localStorage.length), 0, "what may hold a token outlives the tab");
});
