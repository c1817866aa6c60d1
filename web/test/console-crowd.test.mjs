// The console with 50,000 users online.
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { beat, demoUsers, disconnect } from "./api.mjs";
import { launch } from "./browser.mjs";
import { goLive, picture } from "./console.mjs";
import { startStack } from "./stack.mjs";

const timeoutMs = 30_000;
const crowd = 50_000;
/** How long the list is scrolled for each measurement. */
const scrollMs = 3_000;

/** @type {import("./stack.mjs").Stack} */
let stack;
/** @type {import("playwright-core").Browser} */
let browser;
/** @type {import("playwright-core").Page} */
let page;
/** The node's address. */
let url = "";

before(async () => {
  stack = await startStack({ ROLLCALL_TTL: "30m", ROLLCALL_BACKGROUND_TTL: "30m" }, { users: crowd });
  ({ url } = await stack.node());
  for (let first = 1; first <= crowd; first += 500) await beat(url, demoUsers(first, 500));
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await stack?.stop();
});
beforeEach(async () => {
  page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(timeoutMs);
});
afterEach(() => page.close());

let changed = 0;

/** Has some users go and others come, ten of each a second, until the returned function is called. */
function traffic() {
  let going = true;
  const done = (async () => {
    while (going) {
      changed++;
      await disconnect(url, `user-${changed}`);
      await beat(url, [`visitor-${changed}`]);
      await sleep(100);
    }
  })();
  return async () => {
    going = false;
    await done;
  };
}

/**
 * Draws the page for a while, and says when each frame was drawn and how much there was to draw at most. It runs in
 * the page.
 *
 * @param {number} ms
 * @returns {Promise<{ frames: number[], rows: number, elements: number }>} times in milliseconds
 */
function watchFrames(ms) {
  return new Promise((done) => {
    /** @type {number[]} */
    const frames = [];
    const rows = document.getElementsByClassName("user-row");
    const elements = document.getElementsByTagName("*");
    const most = { rows: 0, elements: 0 };
    requestAnimationFrame(function drawn(now) {
      frames.push(now);
      most.rows = Math.max(most.rows, rows.length);
      most.elements = Math.max(most.elements, elements.length);
      if (now - (frames[0] ?? now) < ms) requestAnimationFrame(drawn);
      else done({ frames, ...most });
    });
  });
}

/** The list is scrolled by the wheel, as fast as the page takes it, and what that was like. */
async function scroll() {
  let going = true;
  const watched = page.evaluate(watchFrames, scrollMs).finally(() => {
    going = false;
  });
  while (going) await page.mouse.wheel(0, 250);
  const { frames, rows, elements } = await watched;
  const between = frames.slice(1).map((at, i) => at - (frames[i] ?? at));
  const longest = Math.max(...between);
  const perSecond = (between.length / between.reduce((sum, ms) => sum + ms, 0)) * 1000;
  const row = await page.locator(".scroller").evaluate((box) => Math.floor(box.scrollTop / 56));
  return { perSecond, longest, rows, elements, row };
}

test("50,000 online: the list is drawn all the while that it is scrolled", async (t) => {
  await goLive(page, url, { view: "online" });
  await page.getByTestId("total").filter({ hasText: "50,000 users" }).waitFor();
  await page.locator(".user-row").first().waitFor();
  await page.mouse.move(640, 500);

  /** @param {string} when */
  async function measured(when) {
    const before = await page.locator(".scroller").evaluate((box) => Math.floor(box.scrollTop / 56));
    const { perSecond, longest, rows, elements, row } = await scroll();
    t.diagnostic(
      `${when}: ${perSecond.toFixed(1)} frames/s, the longest ${longest.toFixed(0)} ms, down to row ${row} (${elements} elements)`,
    );
    assert.ok(perSecond > 5, "it goes on drawing");
    assert.ok(row > before + 100, "it has scrolled on");
    assert.ok(rows < 60 && elements < 2000, "no more is drawn than what is in sight");
  }
  await measured("at rest");
  const stop = traffic();
  try {
    await measured("while 20 events a second come");
  } finally {
    await stop();
  }
  await page.waitForFunction(() => {
    const box = document.querySelector(".scroller")?.getBoundingClientRect();
    const middle = box && document.elementFromPoint(box.x + 50, box.y + box.height / 2);
    return middle?.closest(".user-row");
  });
});

test("50,000 online: each view, for everybody", async () => {
  const stop = traffic();
  try {
    await goLive(page, url, { view: "overview" });
    await page.getByTestId("shards").waitFor();
    await picture(page, "crowd-overview");
    await page.getByRole("link", { name: "Online" }).click();
    await page.locator(".user-row").first().waitFor();
    await picture(page, "crowd-online");
    await page.getByRole("link", { name: "Events" }).click();
    await page.locator(".event").nth(5).waitFor();
    await picture(page, "crowd-events");
    await page.locator(".event a").first().click();
    await page.getByTestId("recent-events").locator(".event").first().waitFor();
    await picture(page, "crowd-user");
  } finally {
    await stop();
  }
});
