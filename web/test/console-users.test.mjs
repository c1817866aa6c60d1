// What an administrator does about a user: details are PostgreSQL's and read again on demand, and a session that is
// ended is over on the user's page.
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { beat } from "./api.mjs";
import { launch, screenshot } from "./browser.mjs";
import { goLive, picture } from "./console.mjs";
import { open, says, startExample } from "./example.mjs";
import { startStack } from "./stack.mjs";

const timeoutMs = 30_000;

/** @type {import("./stack.mjs").Stack} */
let stack;
/** @type {import("playwright-core").Browser} */
let browser;
/** @type {import("playwright-core").Page} */
let page;
/** The node's address. */
let url = "";

before(async () => {
  stack = await startStack();
  ({ url } = await stack.node());
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

/**
 * Changes the table of users with nobody being told, as a database without Rollcall's trigger would have it.
 *
 * @param {string} statement
 */
const behindTheBack = (statement) => stack.postgres.sql(`SET session_replication_role = replica; ${statement}`);

const user = () => page.getByTestId("user");
const refresh = () => page.getByRole("button", { name: "Refresh details" }).click();
const refreshed = () => page.getByText("were read from the database again").waitFor();

test("names and levels come from the database, and are read again on demand", async () => {
  await beat(url, ["alice", "bob", "stranger"]);
  await goLive(page, url, { view: "online" });
  const row = (/** @type {string} */ id) => page.locator(`.user-row[data-user="${id}"]`);
  await row("alice").filter({ hasText: /Alice Arden.*42/ }).waitFor();
  await row("bob").filter({ hasText: /Bob Berger.*17/ }).waitFor();
  await row("stranger").filter({ hasText: "no details" }).waitFor();

  await row("alice").getByRole("link").click();
  await user().getByRole("heading", { name: "Alice Arden" }).waitFor();
  await behindTheBack("UPDATE users SET name = 'Alice Ashford', level = 43 WHERE id = 'alice'");
  await page.reload(); // nothing of the page's own is left
  await goLive(page, url, { view: "user/alice" });
  await user().getByRole("heading", { name: "Alice Arden" }).waitFor(); // cached still
  await refresh();
  await user().getByRole("heading", { name: "Alice Ashford" }).waitFor();
  await user().getByText("43", { exact: true }).waitFor();
  await refreshed();
  await picture(page, "live-refreshed");

  // With the trigger nobody has to ask.
  await stack.postgres.sql("UPDATE users SET name = 'Alice Atwood' WHERE id = 'alice'");
  await user().getByRole("heading", { name: "Alice Atwood" }).waitFor();
});

// Case 35 (docs/cases.md).
test("who was unknown a moment ago is known after a refresh", async () => {
  await goLive(page, url, { view: "user/stranger" });
  await user().getByRole("heading", { name: "stranger" }).waitFor();
  await behindTheBack("INSERT INTO users (id, name, level) VALUES ('stranger', 'Stella Strange', 7)");
  await refresh();
  await user().getByRole("heading", { name: "Stella Strange" }).waitFor();
});

test("an administrator ends a session, and the user's page says so and stays offline", async () => {
  const example = await startExample(url);
  try {
    const context = await browser.newContext();
    context.setDefaultTimeout(timeoutMs);
    const theirs = await open(context, example, "carol");
    await says(theirs, "online");
    await goLive(page, url, { view: "user/carol" });
    await page.getByRole("button", { name: "Disconnect…" }).click();
    const dialog = page.getByRole("dialog", { name: "Disconnect Carol Castillo?" });
    await dialog.getByLabel("Reason").fill("she asked for it");
    await dialog.getByRole("button", { name: "Disconnect" }).click();

    await says(theirs, "signed out from elsewhere");
    assert.equal(await theirs.locator("#status").getAttribute("data-status"), "offline");
    await user().getByText("Disconnected").waitFor();
    await page.getByTestId("recent-events").getByText("was disconnected").waitFor();
    await screenshot(theirs, "live-disconnected");

    // Not by itself, but its user may come back.
    await theirs.mouse.move(50, 50);
    await page.getByRole("button", { name: "Disconnect…", disabled: true }).waitFor();
    await theirs.getByRole("button", { name: "Be online here" }).click();
    await says(theirs, "online");
    await page.getByTestId("recent-events").getByText("came online").waitFor();
    await context.close();
  } finally {
    example.stop();
  }
});
