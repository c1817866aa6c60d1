// Servers as child processes: started, waited for, and stopped with all they wrote.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

const startTimeoutMs = 30_000;
const stopTimeoutMs = 10_000;

/**
 * @typedef {object} Running
 * @property {RegExpExecArray} ready what the line matched that said that it is ready
 * @property {() => Promise<void>} stop asks it to end, and makes it if it does not
 * @property {() => Promise<void>} kill ends it with no chance to tidy up
 */

/**
 * Starts a program and waits for a line of its output.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {RegExp} ready
 * @param {import("node:child_process").SpawnOptionsWithoutStdio} [options]
 * @returns {Promise<Running>}
 */
export async function start(command, args, ready, options) {
  const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  const ended = once(child, "exit"); // rejects if it can't be started
  ended.catch(() => {});

  /** @type {string[]} */
  const output = [];
  /** @type {Promise<RegExpExecArray>} */
  const line = new Promise((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on("line", (text) => {
        output.push(text);
        const match = ready.exec(text);
        if (match) resolve(match);
      });
    }
  });
  const failure = (/** @type {string} */ what) => new Error(`${command} ${what}; it printed:\n${output.join("\n")}`);

  /** @param {NodeJS.Signals} signal */
  const end = async (signal) => {
    child.kill(signal);
    const killer = setTimeout(() => child.kill("SIGKILL"), stopTimeoutMs);
    await ended;
    clearTimeout(killer);
  };
  const timer = new AbortController();
  try {
    return {
      ready: await Promise.race([
        line,
        ended.then(([code]) => Promise.reject(failure(`ended with code ${code}`))),
        sleep(startTimeoutMs, undefined, timer).then(() => Promise.reject(failure("was not ready in time"))),
      ]),
      stop: () => end("SIGINT"),
      kill: () => end("SIGKILL"),
    };
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  } finally {
    timer.abort();
  }
}
