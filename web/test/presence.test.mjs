// Users come and go, and an administrator sees it: pages with the library at one node, the console at another.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch } from "./browser.mjs";
import { goLive, picture } from "./console.mjs";
import { open, says, startExample } from "./example.mjs";
import { startStack } from "./stack.mjs";

const timeoutMs = 30_000;
/** Whose page has crashed is online until the lease ends. */
const leaseMs = 4_000;

/** @type {import("./stack.mjs").Stack} */
let stack;
/** @type {import("./example.mjs").Example} */
let example;
/** @type {import("playwright-core").Browser} */
let browser;
/** The console's address. */
let url = "";

before(async () => {
  stack = await startStack({ ROLLCALL_TTL: `${leaseMs}ms`, ROLLCALL_BACKGROUND_TTL: `${2 * leaseMs}ms` });
  const [watched, used] = [await stack.node(), await stack.node()];
  ({ url } = watched);
  example = await startExample(used.url);
  browser = await launch();
});
after(async () => {
  await browser?.close();
  example?.stop();
  await stack?.stop();
});

/** A browser of its own: of two pages in one, that in the background draws one frame a second. */
async function context() {
  const made = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  made.setDefaultTimeout(timeoutMs);
  return made;
}

/** @param {string} id */
const listed = (id) => `.user-row[data-user="${id}"]:not(.gone)`;

/**
 * Waits until a page shows something, or no longer does, and returns when that was. The page itself looks, at each
 * frame, so that what is measured is what its reader sees.
 *
 * @param {import("playwright-core").Page} page
 * @param {string} selector
 * @param {boolean} [there]
 * @returns {Promise<number>} a time of this machine's clock, in Unix milliseconds
 */
async function shown(page, selector, there = true) {
  const handle = await page.waitForFunction(
    ([selector, there]) => (document.querySelector(String(selector)) !== null) === there && Date.now(),
    [selector, there],
  );
  return Number(await handle.jsonValue());
}

test("two users come and go, and the console shows each", async (t) => {
  const list = await (await context()).newPage();
  await goLive(list, url, { view: "online" });
  await list.getByText("Nobody is online").waitFor();
  const events = await (await context()).newPage();
  await goLive(events, url, { view: "events" });

  /**
   * Has something happen to a user, and says how long it took to be shown: since it was begun, and since the server
   * recorded it.
   *
   * @template T
   * @param {string} what
   * @param {string} id
   * @param {string} words of the event
   * @param {() => Promise<T>} act
   */
  async function measured(what, id, words, act) {
    const comes = words === "came online";
    const lines = events.locator(`.event[data-user="${id}"]`);
    const before = await lines.count();
    const newest = `.event[data-user="${id}"][data-type="${comes ? "ONLINE" : "OFFLINE"}"][aria-rowindex="1"]`;
    const began = Date.now();
    const [made, row, line] = await Promise.all([act(), shown(list, listed(id), comes), shown(events, newest)]);
    const at = Date.parse((await events.locator(newest).locator("time").getAttribute("datetime")) ?? "");
    const since = (/** @type {number} */ start) => `events ${line - start} ms, list ${row - start} ms`;
    t.diagnostic(`${what}: ${since(at)} after the server's record; ${since(began)} after it began`);
    assert.equal(await lines.count(), before + 1, "told once");
    assert.match((await lines.first().textContent()) ?? "", new RegExp(words));
    return made;
  }

  const bobs = await context();
  const bob = await measured("bob opens a page", "bob", "came online", () => open(bobs, example, "bob"));
  await says(bob, "online");
  const carols = await context();
  const carol = await measured("carol opens a page", "carol", "came online", () => open(carols, example, "carol"));
  await says(carol, "online");
  assert.match((await list.locator(listed("bob")).textContent()) ?? "", /Bob Berger.*17.*Online/);
  await bob.locator("#users", { hasText: "carol" }).waitFor();

  const button = (/** @type {string} */ name) => bob.getByRole("button", { name }).click();
  await measured("bob signs out", "bob", "signed out", () => button("Sign out"));
  await says(bob, "signed out");
  await measured("bob is back", "bob", "came online", () => button("Be online here"));
  await says(bob, "online");
  await measured("bob closes the page", "bob", "signed out", () => bob.close());

  // Nobody says goodbye here: the server notices by itself.
  await measured(`carol's page crashes (the lease is ${leaseMs} ms)`, "carol", "expired", async () => {
    const crashed = carol.waitForEvent("crash");
    const debug = await carols.newCDPSession(carol);
    void debug.send("Page.crash").catch(() => {}); // nobody is left to answer
    await crashed;
  });
  await list.getByText("Nobody is online").waitFor();
  await picture(events, "live-events");
});
