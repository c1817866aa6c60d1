// The admin console in a browser: signing in, and pictures of it that are checked for accessibility.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { screenshot } from "./browser.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** @typedef {{ id: string, impact: string | null, nodes: { html: string, failureSummary?: string }[] }} Violation */

/**
 * Opens a view and signs in.
 *
 * @param {import("playwright-core").Page} page
 * @param {string} url the server's
 * @param {{ token?: string, view?: string }} [options]
 */
export async function signIn(page, url, { token = "dev:alice:admin", view = "overview" } = {}) {
  await page.goto(`${url}admin#/${view}`);
  await page.getByLabel("Token").fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/**
 * Signs in and waits until all is live.
 *
 * @param {import("playwright-core").Page} page
 * @param {string} url the server's
 * @param {{ token?: string, view?: string }} [options]
 */
export async function goLive(page, url, options) {
  await signIn(page, url, options);
  await phase(page, "Live");
}

/**
 * Waits for how the connection is said to be.
 *
 * @param {import("playwright-core").Page} page
 * @param {string} text
 */
export async function phase(page, text) {
  await page.getByTestId("phase").filter({ hasText: text }).waitFor();
}

/**
 * Keeps pictures of a state, light and dark, 360 and 1280 pixels wide, and looks in each of them for what
 * keeps people from using it.
 *
 * @param {import("playwright-core").Page} page
 * @param {string} state
 */
export async function picture(page, state) {
  const before = page.viewportSize();
  for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: width === 360 ? 740 : 800 });
      // Sizes are told a frame later, and drawn in the one after.
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      await screenshot(page, `console-${state}-${width}-${colorScheme}`);
      await accessible(page, `${state} at ${width}, ${colorScheme}`);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `${state} at ${width} is ${wide} pixels too wide`);
    }
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
  if (before) await page.setViewportSize(before);
}

/**
 * Fails if axe-core finds what is serious or critical.
 *
 * @param {import("playwright-core").Page} page
 * @param {string} what
 */
async function accessible(page, what) {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe); // not by a script element, which the page's policy forbids
  const { violations } = /** @type {{ violations: Violation[] }} */ (
    await page.evaluate(`axe.run({ resultTypes: ["violations"] })`)
  );
  const grave = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  const said = grave.map(
    ({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.html}\n${node.failureSummary}`).join("\n")}`,
  );
  assert.deepEqual(said, [], what);
}
