// The system's Chromium, driven headless, and a page that is watched for what it must not do.
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

/** Starts Chromium quiet enough for a machine without internet: nothing of its own in the background. */
export function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
    args: [
      "--no-sandbox", // CI runs as root, where Chromium has no sandbox
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      // No name resolves, so that whatever the page wants from the internet fails here as well.
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
    ],
  });
}

/**
 * Records every request, socket and console error of a context's pages.
 *
 * @param {import("playwright-core").BrowserContext} context
 */
export function watch(context) {
  /** @type {{requests: URL[], errors: string[]}} */
  const seen = { requests: [], errors: [] };
  context.on("request", (request) => seen.requests.push(new URL(request.url())));
  context.on("requestfailed", (request) => {
    const reason = request.failure()?.errorText;
    // Aborted is what leaving a page does to requests in flight.
    if (reason !== "net::ERR_ABORTED") seen.errors.push(`${request.url()}: ${reason}`);
  });
  context.on("response", (response) => {
    if (response.status() >= 400) seen.errors.push(`${response.url()}: ${response.status()}`);
  });
  context.on("console", (message) => {
    if (message.type() === "error") seen.errors.push(message.text());
  });
  context.on("weberror", (error) => seen.errors.push(String(error.error())));
  context.on("page", (page) => {
    page.on("websocket", (socket) => {
      seen.requests.push(new URL(socket.url()));
    });
  });
  return seen;
}

/**
 * Keeps a picture of the page as NAME.png, in ROLLCALL_ARTIFACTS or web/artifacts.
 *
 * @param {import("playwright-core").Page} page
 * @param {string} name
 */
export async function screenshot(page, name) {
  const folder = process.env.ROLLCALL_ARTIFACTS || fileURLToPath(new URL("../artifacts", import.meta.url));
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: `${folder}/${name}.png` });
}
