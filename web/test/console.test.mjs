// The admin console, as an administrator meets it: in a real browser, against a real server.
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { beat, demoUsers, disconnect } from "./api.mjs";
import { launch, watch } from "./browser.mjs";
import { goLive, phase, picture, signIn } from "./console.mjs";
import { startServer } from "./server.mjs";

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
/** The only one that the page may send requests to. */
let host = "";

before(async () => {
  assert.ok(process.env.ROLLCALL_BIN, "set ROLLCALL_BIN");
  // A lease outlives the tests, so that who is online is what they have made it.
  server = await startServer(process.env.ROLLCALL_BIN, { ROLLCALL_TTL: "30m", ROLLCALL_BACKGROUND_TTL: "30m" });
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

beforeEach(async () => {
  context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  context.setDefaultTimeout(timeoutMs);
  seen = watch(context);
  ({ host } = new URL(server.url));
  page = await context.newPage();
});
afterEach(async () => {
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await context.close();
  const hosts = new Set(seen.requests.map((url) => url.host));
  assert.deepEqual([...hosts], [host], "a request left the origin");
});

/** Fails if anything went wrong on the way: a request, the page's policy, a script. */
const noErrors = () => assert.deepEqual(seen.errors, []);

/** An hour of a server that was restarted forty minutes ago. */
function lastHour() {
  const now = Date.now();
  const points = Array.from({ length: 60 }, (_, i) => {
    const average = 140 + 40 * Math.sin(i / 9) + 9 * Math.sin(i * 1.7);
    return { at: new Date(now - (60 - i) * 60_000).toISOString(), peak: Math.ceil(average) + 4, average };
  });
  return points.filter((_, i) => i < 18 || i > 21);
}

/** @param {string} id */
const row = (id) => page.locator(`.user-row[data-user="${id}"]`);

/** Who is in the list, as far as it is drawn, from the top down. */
const listed = () =>
  page.locator(".user-row").evaluateAll((rows) =>
    rows
      .map((each) => ({ id: each.getAttribute("data-user"), top: each.getBoundingClientRect().top }))
      .sort((a, b) => a.top - b.top)
      .map(({ id }) => id),
  );

/**
 * Answers the page's queries of one operation in the server's place.
 *
 * @param {string} operation
 * @param {(answer: any) => unknown} change what the server answered, to what the page gets
 */
async function change(operation, change) {
  await page.route("**/graphql", async (route) => {
    if (!route.request().postData()?.includes(operation)) return route.fallback();
    const response = await route.fetch();
    await route.fulfill({ status: 200, json: change(await response.json()) });
  });
}

test("nobody is online: said as such", async () => {
  await goLive(page, server.url, { view: "online" });
  await page.getByText("Nobody is online").waitFor();
  await picture(page, "empty");
  noErrors();
});

test("signing in takes a dev token, which is filled in and kept nowhere", async () => {
  await page.goto(`${server.url}admin`);
  assert.equal(await page.getByLabel("Token").inputValue(), "dev:alice:admin");
  await picture(page, "sign-in");
  await page.keyboard.press("Enter");
  await phase(page, "Live");
  const kept = await page.evaluate(() =>
    JSON.stringify([localStorage, sessionStorage, document.cookie, location.href]),
  );
  assert.ok(!kept.includes("dev:"), kept);
  await page.reload();
  await page.getByRole("button", { name: "Sign in" }).waitFor();
  noErrors();
});

test("where the server takes JWTs none is filled in, and a bad one leads back", async () => {
  await page.addInitScript(() =>
    document.addEventListener("readystatechange", () => {
      const block = document.getElementById("rollcall");
      if (block) block.textContent = JSON.stringify({ auth: "jwt" });
    }),
  );
  await page.goto(`${server.url}admin`);
  assert.equal(await page.getByLabel("Token").inputValue(), "");
  assert.equal(await page.getByLabel("Token").getAttribute("type"), "password");
  await page.getByLabel("Token").fill("Bearer no-such-token");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("alert").filter({ hasText: "The server did not take your token" }).waitFor();
  await picture(page, "token-refused");
});

test("a socket that is closed with 4403 leads back to sign-in", async () => {
  let expired = false;
  /** @type {import("playwright-core").WebSocketRoute | undefined} */
  let socket;
  await page.routeWebSocket(/graphql/, (route) => {
    if (expired) return void route.close({ code: 4403, reason: "the token has expired" });
    socket = route;
    route.connectToServer();
  });
  await goLive(page, server.url);
  expired = true;
  await socket?.close({ code: 4403, reason: "the token has expired" });
  await page.getByRole("alert").filter({ hasText: "the token has expired" }).waitFor();
});

test("who is no administrator is told so", async () => {
  await signIn(page, server.url, { token: "dev:bob" });
  await page.getByRole("heading", { name: "Not allowed" }).waitFor();
  await picture(page, "not-allowed");
  await page.getByRole("button", { name: "Sign in with another token" }).click();
  await page.getByLabel("Token").waitFor();
});

test("until the connection stands, the console says that it connects", async () => {
  await page.routeWebSocket(/graphql/, () => {}); // accepted, and never answered
  await signIn(page, server.url, { view: "online" });
  await phase(page, "Connecting…");
  await picture(page, "connecting");
});

test("the list: live, sorted, filtered, searched", async () => {
  await beat(server.url, ["carol", ...demoUsers(1, 150)]);
  await beat(server.url, demoUsers(160, 3), { active: false });
  await beat(server.url, ["bob"]);
  await goLive(page, server.url, { view: "online" });
  await row("bob").waitFor();
  assert.equal((await listed())[0], "bob");
  assert.match((await row("bob").textContent()) ?? "", /Bob Berger.*17.*Online/);
  await page.waitForFunction(() =>
    /^\d+\ss ago$/.test(document.querySelector('[data-user="bob"] .active')?.textContent ?? ""),
  );
  await picture(page, "online");

  await page.getByRole("radio", { name: "Level" }).check();
  await page.waitForFunction(() => document.querySelector(".user-row .level")?.textContent === "50");
  await page.getByRole("button", { name: "Direction: Highest first" }).click();
  await page.waitForFunction(() => document.querySelector(".user-row .level")?.textContent === "1");
  await page.getByLabel("Lowest level").fill("33");
  await page.getByLabel("Highest level").fill("33");
  await page.getByLabel("Highest level").press("Enter");
  await page.waitForFunction(() =>
    [...document.querySelectorAll(".user-row .level")].every((each) => each.textContent === "33"),
  );
  await row("carol").waitFor();
  await page.getByLabel("Lowest level").fill("");
  await page.getByLabel("Highest level").fill("");
  await page.getByLabel("Highest level").press("Enter");

  await page.getByRole("radio", { name: "Away" }).check();
  await page.waitForFunction(() => document.querySelectorAll(".user-row").length === 3);
  await row("user-160").waitFor();
  await page.getByLabel("Highest level").fill("0");
  await page.getByLabel("Highest level").press("Enter");
  await page.getByText("Nobody who is online matches").waitFor();
  await picture(page, "no-match");

  await page.getByLabel("Search by id").fill("alice");
  await row("alice").filter({ hasText: "Offline" }).waitFor();
  await picture(page, "search");
  await page.getByLabel("Search by id").fill("nobody-such");
  await page.getByText("Nobody found").waitFor();
  noErrors();
});

test("who comes is put in at once while nobody reads, and waits in a bar while somebody does", async () => {
  await beat(server.url, demoUsers(1, 100));
  await goLive(page, server.url, { view: "online" });
  await page.locator(".user-row").first().waitFor();
  await beat(server.url, ["visitor-1"]);
  await row("visitor-1").waitFor();
  assert.equal((await listed())[0], "visitor-1");

  await page.mouse.move(180, 400); // within the list, however wide the page is
  const before = await listed();
  await beat(server.url, ["visitor-2", "visitor-3", "visitor-4"]);
  await disconnect(server.url, before[2] ?? "");
  await page.getByTestId("news").filter({ hasText: "3 new" }).waitFor();
  await row(before[2] ?? "")
    .filter({ hasText: "Disconnected" })
    .waitFor();
  assert.deepEqual(await listed(), before, "nothing moves under the pointer");
  await page.getByTestId("news").click();
  await row("visitor-4").waitFor();
  const now = await listed();
  assert.deepEqual(now.slice(0, 3).sort(), ["visitor-2", "visitor-3", "visitor-4"]);
  assert.ok(!now.includes(before[2] ?? ""));
  await page.getByTestId("news").waitFor({ state: "detached" });

  await page.mouse.move(180, 420);
  await beat(server.url, ["visitor-5"]);
  await page.getByTestId("news").filter({ hasText: "1 new" }).waitFor();
  // A page that changes its width loses the pointer for a moment; scrolled, the list is being read all the same.
  await page.locator(".scroller").evaluate(
    (box) =>
      new Promise((done) => {
        box.addEventListener("scroll", done, { once: true });
        box.scrollTo(0, 2);
      }),
  );
  await picture(page, "news");
  noErrors();
});

test("the keys lead through the list, further than what is in sight, and to a user", async () => {
  await beat(server.url, demoUsers(1, 150));
  await goLive(page, server.url, { view: "online" });
  await page.locator(".user-row").first().waitFor();
  await page.locator('.name[tabindex="0"]').focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("PageDown");
  await page.keyboard.press("PageDown");
  await page.waitForFunction(() => document.activeElement?.getAttribute("data-place") === "21");
  const focused = page.locator(":focus");
  const box = await focused.boundingBox();
  assert.ok(box && box.y > 100 && box.y < 800, "the row is in sight");
  const id = (await focused.locator("xpath=ancestor::div[@data-user]").getAttribute("data-user")) ?? "";
  await page.keyboard.press("Enter");
  await page.getByTestId("user").filter({ hasText: id }).waitFor();
  await page.waitForFunction(() => document.activeElement?.tagName === "H1");
  noErrors();
});

test("the overview: numbers, chart and shards, and red beyond their limits", async () => {
  await beat(server.url, demoUsers(1, 150));
  await goLive(page, server.url);
  await page.getByTestId("online").getByText("Last hour", { exact: true }).waitFor(); // and not that the record can't be read
  const shown = page.getByTestId("online-count");
  const before = Number(await shown.textContent());
  await beat(server.url, ["newcomer-1", "newcomer-2"]);
  await page.waitForFunction(
    (least) => Number(document.querySelector('[data-testid="online-count"]')?.textContent) >= least,
    before + 2,
  );
  await page
    .getByTestId("sign-ins")
    .filter({ hasNotText: /^Sign-ins0\/s/ })
    .waitFor();
  await page.getByTestId("subscribers").filter({ hasText: /[1-9]/ }).waitFor();
  assert.equal(await page.getByRole("list", { name: "Online users by shard" }).getByRole("listitem").count(), 16);
  await change("query History", () => ({ data: { onlineHistory: lastHour() } }));
  await page.getByRole("link", { name: "Events" }).click();
  await page.getByRole("link", { name: "Overview" }).click();
  await page.waitForFunction(() => document.querySelectorAll(".chart .line").length === 2);
  await picture(page, "overview");

  await change("query Cluster", (answer) => {
    const shards = answer.data.cluster.shards.map((/** @type {object} */ shard, /** @type {number} */ i) => ({
      ...shard,
      online: i === 5 ? 4100 : 3000 + i * 20,
    }));
    const online = shards.reduce(
      (/** @type {number} */ sum, /** @type {{online: number}} */ shard) => sum + shard.online,
      0,
    );
    const load = {
      online,
      shards,
      imbalance: 0.34,
      heartbeatsPerSecond: 5600,
      usedMemoryBytes: 3.5 * 2 ** 30,
      maxMemoryBytes: 4 * 2 ** 30,
    };
    return { data: { cluster: { ...answer.data.cluster, ...load } } };
  });
  await page.locator('.crossed[data-testid="memory"]').waitFor();
  await page.locator('.crossed[data-testid="heartbeats"]').waitFor();
  await page.locator('.crossed[data-testid="shards"]').waitFor();
  await page.getByRole("img", { name: "a limit is crossed" }).waitFor();
  assert.equal(await page.locator(".shards li.crossed").count(), 1);
  await picture(page, "overview-crossed");
});

test("one user: seen live, and disconnected with a reason after a question", async () => {
  await beat(server.url, ["alice"], { deviceId: "laptop" });
  await goLive(page, server.url, { view: "user/alice" });
  const user = page.getByTestId("user");
  await user.filter({ hasText: "laptop" }).waitFor();
  await user.getByText("Alice Arden").waitFor();
  await beat(server.url, ["alice"], { deviceId: "phone" });
  await user.filter({ hasText: "phone" }).waitFor();
  await page.getByTestId("recent-events").getByText("on another device").waitFor();
  await page.getByRole("button", { name: "Refresh details" }).click();
  await page.getByText("were read from the database again").waitFor();
  await picture(page, "user");

  await page.getByRole("button", { name: "Disconnect…" }).click();
  const dialog = page.getByRole("dialog", { name: "Disconnect Alice Arden?" });
  await dialog.getByLabel("Reason").fill("a test");
  await picture(page, "disconnect");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  await user.getByText("Online", { exact: true }).first().waitFor();

  await page.getByRole("button", { name: "Disconnect…" }).click();
  await dialog.getByLabel("Reason").fill("a test");
  await dialog.getByRole("button", { name: "Disconnect" }).click();
  await user.getByText("Disconnected").waitFor();
  await page.getByTestId("recent-events").getByText("was disconnected").waitFor();
  assert.ok(await page.getByRole("button", { name: "Disconnect…" }).isDisabled());
  noErrors();
});

test("a user whom nobody knows", async () => {
  await goLive(page, server.url, { view: "user/nobody%2Fsuch" });
  await page.getByText("Neither the directory nor the online list knows this id").waitFor();
  await picture(page, "user-unknown");
});

test("the event stream: live, filtered, paused", async () => {
  await goLive(page, server.url, { view: "events" });
  await page.getByText("No event since you signed in").waitFor();
  await picture(page, "events-empty");
  const events = page.getByTestId("events").locator(".event");
  await beat(server.url, demoUsers(170, 4));
  await beat(server.url, ["bob"], { deviceId: "tablet" });
  await disconnect(server.url, "user-171");
  await events.filter({ hasText: "disconnected" }).waitFor();
  assert.equal(await events.count(), 6);
  await picture(page, "events");

  await page.getByRole("checkbox", { name: "Online" }).uncheck();
  await page.waitForFunction(() => document.querySelectorAll(".event").length === 2);
  await page.getByRole("checkbox", { name: "Online" }).check();
  await page.getByLabel("Filter by user").fill("user-171");
  await page.waitForFunction(() => document.querySelectorAll(".event").length === 2);
  await page.getByLabel("Filter by user").fill("");

  await page.getByRole("button", { name: "Pause" }).click();
  await beat(server.url, ["latecomer"]);
  await page.getByText("1 have come since").waitFor();
  assert.equal(await events.count(), 6);
  await picture(page, "events-paused");
  await page.getByRole("button", { name: "Go on" }).click();
  await events.filter({ hasText: "latecomer" }).waitFor();
  noErrors();
});

test("a connection that is cut is opened again, and nothing is missed", async () => {
  /** @type {import("playwright-core").WebSocketRoute[]} */
  const sockets = [];
  let refuse = false;
  await page.routeWebSocket(/graphql/, (route) => {
    if (refuse) return void route.close({ code: 1012, reason: "restart" });
    sockets.push(route);
    route.connectToServer();
  });
  await goLive(page, server.url, { view: "events" });
  refuse = true;
  await sockets[0]?.close({ code: 1012, reason: "restart" });
  await phase(page, "Reconnecting…");
  await page.getByTestId("notice").getByText("What you see is as of").waitFor();
  await picture(page, "reconnecting");
  await beat(server.url, ["meanwhile"]);
  refuse = false;
  await phase(page, "Live");
  await page.getByTestId("events").getByText("nothing is missing").waitFor();
  await page.getByTestId("events").locator('.event[data-user="meanwhile"]').waitFor();
  await page.getByTestId("notice").getByText("What you see is as of").waitFor({ state: "detached" });
  await picture(page, "events-resumed");
});

test("a server that has forgotten leaves a mark where events may be missing", async () => {
  assert.ok(process.env.ROLLCALL_BIN);
  const forgetful = await startServer(process.env.ROLLCALL_BIN);
  ({ host } = new URL(forgetful.url));
  let reborn;
  try {
    await goLive(page, forgetful.url, { view: "events" });
    await beat(forgetful.url, ["early"]);
    await page.locator('.event[data-user="early"]').waitFor();
    await forgetful.stop();
    await phase(page, "Reconnecting…");
    await page
      .getByTestId("notice")
      .getByText(/Trying again in \d+\ss/)
      .waitFor();
    reborn = await startServer(process.env.ROLLCALL_BIN, { ROLLCALL_HTTP_ADDR: host });
    await phase(page, "Live");
    await page.locator('[data-mark="gap"]').waitFor();
    await beat(reborn.url, ["late"]);
    await page.locator('.event[data-user="late"]').waitFor();
    await picture(page, "events-gap");
  } finally {
    await page.goto("about:blank"); // so that it does not try to connect again
    await reborn?.stop();
  }
});

test("a store that can't be reached is said, and what is shown is dated", async () => {
  await beat(server.url, demoUsers(1, 50));
  await goLive(page, server.url, { view: "online" });
  await page.locator(".user-row").first().waitFor();
  const down = {
    errors: [{ message: "the store can't be reached", extensions: { code: "UNAVAILABLE", retryAfterMs: 1000 } }],
  };
  await change("query", () => down);
  await phase(page, "Store down");
  await page.getByTestId("notice").getByText("The store can't be reached").waitFor();
  assert.ok((await page.locator(".user-row").count()) > 5, "what was read stays");
  await picture(page, "store-unavailable");
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await phase(page, "Live");
});

test("the theme is the system's until another is chosen, and that one is kept", async () => {
  await page.emulateMedia({ colorScheme: "dark" });
  await goLive(page, server.url);
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await ground();
  await page.getByRole("button", { name: "Theme: system" }).click();
  const light = await ground();
  assert.notEqual(light, dark);
  await page.reload();
  assert.equal(await ground(), light);
  noErrors();
});
