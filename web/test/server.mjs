// The server under test: the one at ROLLCALL_URL, or ROLLCALL_BIN started on a free port.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

const startTimeoutMs = 15_000;
const stopTimeoutMs = 10_000;

/**
 * @typedef {object} Server
 * @property {string} url the page's address, ending in a slash
 * @property {() => Promise<void>} stop
 */

/** @returns {Promise<Server>} */
export async function findServer() {
  const { ROLLCALL_URL: url, ROLLCALL_BIN: bin } = process.env;
  if (url) return { url: new URL("/", url).href, stop: async () => {} };
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
  const child = spawn(bin, ["serve"], { env, stdio: ["ignore", "pipe", "pipe"] });
  const exited = once(child, "exit");

  /** @type {string[]} */
  const output = [];
  /** @type {Promise<string>} */
  const address = new Promise((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on("line", (line) => {
        output.push(line);
        const match = /http:\/\/127\.0\.0\.1:\d+\//.exec(line);
        if (match) resolve(match[0]);
      });
    }
  });
  const failure = (/** @type {string} */ what) => new Error(`${bin} ${what}; it printed:\n${output.join("\n")}`);

  const timer = new AbortController();
  try {
    const url = await Promise.race([
      address,
      exited.then(([code]) => Promise.reject(failure(`ended with code ${code}`))),
      sleep(startTimeoutMs, undefined, timer).then(() => Promise.reject(failure("named no address in time"))),
    ]);
    return {
      url,
      async stop() {
        child.kill("SIGINT");
        const killer = setTimeout(() => child.kill("SIGKILL"), stopTimeoutMs);
        await exited;
        clearTimeout(killer);
        rmSync(scratch, { recursive: true });
      },
    };
  } catch (error) {
    child.kill("SIGKILL");
    rmSync(scratch, { recursive: true });
    throw error;
  } finally {
    timer.abort();
  }
}
