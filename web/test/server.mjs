// The server under test: the one at ROLLCALL_URL, or ROLLCALL_BIN started on a free port.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { start } from "./process.mjs";

/**
 * @typedef {object} Server
 * @property {string} url the page's address, ending in a slash
 * @property {() => Promise<void>} stop
 * @property {() => Promise<void>} kill ends it with no chance to tidy up
 */

/** @returns {Promise<Server>} */
export async function findServer() {
  const { ROLLCALL_URL: url, ROLLCALL_BIN: bin } = process.env;
  const nothing = async () => {};
  if (url) return { url: new URL("/", url).href, stop: nothing, kill: nothing };
  if (bin) return startServer(bin);
  throw new Error("set ROLLCALL_URL to a running server, or ROLLCALL_BIN to the binary to start");
}

/**
 * Starts the binary with everything embedded, and waits for the start-up line that names its address.
 *
 * @param {string} bin
 * @param {Record<string, string>} [settings] other settings than those
 * @returns {Promise<Server>}
 */
export async function startServer(bin, settings) {
  const scratch = mkdtempSync(join(tmpdir(), "rollcall-"));
  // No settings but these: the environment may hold this test's own, or those of another server.
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("ROLLCALL_"));
  const env = {
    ...Object.fromEntries(inherited),
    ROLLCALL_HTTP_ADDR: "127.0.0.1:0",
    ROLLCALL_DATABASE_URL: `sqlite:${join(scratch, "rollcall.db")}`,
    ...settings,
  };
  const tidy = () => rmSync(scratch, { recursive: true });
  try {
    const server = await start(bin, ["serve"], /http:\/\/127\.0\.0\.1:\d+\//, { env });
    return {
      url: server.ready[0],
      stop: () => server.stop().then(tidy),
      kill: () => server.kill().then(tidy),
    };
  } catch (error) {
    tidy();
    throw error;
  }
}
