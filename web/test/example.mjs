// The example page of the library, served in front of a node as a site would have it.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/**
 * @typedef {object} Example
 * @property {string} url the page's address, ending in a slash
 * @property {() => void} stop
 */

/**
 * @param {string} server the node's address
 * @returns {Promise<Example>}
 */
export async function startExample(server) {
  const script = fileURLToPath(new URL("../../examples/online/serve.mjs", import.meta.url));
  const child = spawn(process.execPath, [script], {
    env: { ...process.env, ROLLCALL_URL: server, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  const url = /http:\S+\//.exec(line)?.[0];
  assert.ok(url, line);
  return { url, stop: () => void child.kill() };
}

/**
 * Opens the page of a user.
 *
 * @param {import("playwright-core").BrowserContext} context
 * @param {Example} example
 * @param {string} user
 */
export async function open(context, { url }, user) {
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
export async function says(page, text) {
  await page.locator("#status", { hasText: text }).waitFor();
}
