// The node that the console is connected to is killed, while users come and go at another.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { beat, disconnect, signIn, signOut } from "./api.mjs";
import { launch, screenshot } from "./browser.mjs";
import { goLive, phase, picture } from "./console.mjs";
import { eventually } from "./eventually.mjs";
import { blockWebSocket } from "./page.mjs";
import { startStack } from "./stack.mjs";
import { startWitness } from "./witness.mjs";

/** The console may wait for up to half a minute before it tries again. */
const timeoutMs = 60_000;

/** @type {import("./stack.mjs").Stack} */
let stack;
/** @type {import("playwright-core").Browser} */
let browser;

before(async () => {
  // Nobody expires here: who goes does so at a time of ours.
  stack = await startStack({ ROLLCALL_TTL: "30m", ROLLCALL_BACKGROUND_TTL: "30m" });
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await stack?.stop();
});

async function newPage() {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce" });
  page.setDefaultTimeout(timeoutMs);
  return page;
}

/**
 * Has users come, move and go at a node, on and on, until the returned function is called.
 *
 * @param {string} url
 */
function traffic(url) {
  let going = true;
  const done = (async () => {
    for (let i = 1; going; i++) {
      const [leaver, thrownOut] = [`leaver-${i}`, `thrown-out-${i}`];
      const session = await signIn(url, leaver);
      await beat(url, [thrownOut]);
      await beat(url, [thrownOut], { deviceId: "laptop" });
      await signOut(url, leaver, session);
      await disconnect(url, thrownOut);
      await sleep(100);
    }
  })();
  return async () => {
    going = false;
    await done;
  };
}

/**
 * All lines of a console's event stream, the oldest first. The list draws those in sight only, so that it has to be
 * scrolled through.
 *
 * @param {import("playwright-core").Page} page
 */
async function lines(page) {
  return page.evaluate(async () => {
    const scroller = document.querySelector(".events .scroller");
    if (!scroller) return [];
    /** @type {Map<number, { mark: string | null, event: (string | null | undefined)[] }>} */
    const seen = new Map();
    for (let top = 0; top < scroller.scrollHeight; top += scroller.clientHeight / 2) {
      scroller.scrollTop = top;
      await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
      for (const row of scroller.querySelectorAll(".row")) {
        const at = row.querySelector("time")?.getAttribute("datetime");
        const event = [row.getAttribute("data-user"), row.getAttribute("data-type"), at];
        seen.set(Number(row.getAttribute("aria-rowindex")), { mark: row.getAttribute("data-mark"), event });
      }
    }
    return [...seen].sort(([a], [b]) => b - a).map(([, line]) => line);
  });
}

/**
 * Events in the order that is promised: of each user as it happened, and no order between users.
 *
 * @param {(string | null | undefined)[][]} events each with its user first
 */
const byUser = (events) => [...events].sort(([a = ""], [b = ""]) => String(a).localeCompare(String(b)));

// Case 24 (docs/cases.md).
test("the server is killed and restarted: the console comes back by itself, and misses and doubles nothing", async (t) => {
  const other = await stack.node();
  const killed = await stack.node();
  const { url } = killed;
  const witness = await startWitness(other.url);
  const pages = { websocket: await newPage(), sse: await newPage() };
  await pages.sse.addInitScript(blockWebSocket);
  const consoles = Object.values(pages);
  for (const page of consoles) await goLive(page, url, { view: "events" });
  const stopTraffic = traffic(other.url);
  try {
    for (const page of consoles) await page.locator(".event").first().waitFor();

    await killed.kill();
    for (const page of consoles) await phase(page, "Reconnecting…");
    await pages.websocket.getByTestId("notice").getByText("What you see is as of").waitFor();
    await pages.websocket
      .getByTestId("notice")
      .getByText(/Trying again (in|now)/)
      .waitFor();
    const gone = witness.events().length;
    await eventually("events meanwhile", () => witness.events().length > gone + 25);
    await screenshot(pages.websocket, "console-live-killed"); // console.test.mjs has this state in all looks

    const restarted = await stack.node({ ROLLCALL_HTTP_ADDR: new URL(url).host });
    assert.equal(restarted.url, url);
    for (const page of consoles) await phase(page, "Live");
    const back = witness.events().length;
    await eventually("events afterwards", () => witness.events().length > back + 10);
  } finally {
    await stopTraffic();
  }
  await beat(other.url, ["the-last"]);
  for (const page of consoles) await page.locator('.event[data-user="the-last"]').waitFor();
  await eventually("the last event", () => witness.events("the-last").length > 0);
  const told = witness.events().map(({ userId, type, at }) => [userId, type, new Date(at).toISOString()]);

  for (const [way, page] of Object.entries(pages)) {
    const all = await lines(page);
    assert.deepEqual(
      all.flatMap(({ mark }) => mark ?? []),
      ["resumed"],
      `${way}: the only mark says that nothing is missing`,
    );
    assert.deepEqual(byUser(all.flatMap(({ mark, event }) => (mark ? [] : [event]))), byUser(told), way);
  }
  t.diagnostic(`${told.length} events, each of them once in the console`);
  await picture(pages.websocket, "live-resumed");
  await witness.stop();
});
