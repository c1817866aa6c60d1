// Redis and PostgreSQL of a test's own, on free ports of the loopback.
import { execFile, execFileSync } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { start } from "./process.mjs";

/**
 * @typedef {object} Service
 * @property {string} url as rollcall takes it
 * @property {() => Promise<void>} stop
 */

/** @typedef {Service & { sql: (statements: string) => Promise<void> }} Database one that statements can be run on */

/** @returns {Promise<Service>} */
export async function startRedis() {
  const dir = mkdtempSync(join(tmpdir(), "rollcall-redis-"));
  const port = await freePort();
  const settings = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--dir", dir];
  return running("redis-server", settings, /Ready to accept connections/, `redis://127.0.0.1:${port}/0`, dir);
}

/** @returns {Promise<Database>} */
export async function startPostgres() {
  const bin = postgresPrograms();
  const dir = mkdtempSync(join(tmpdir(), "rollcall-postgres-"));
  const port = await freePort();
  const owner = postgresUser();
  if (owner) chownSync(dir, owner.uid, owner.gid);
  const options = { cwd: dir, env: { LC_ALL: "C", PATH: process.env.PATH, HOME: dir }, ...owner };
  const data = join(dir, "data");
  execFileSync(join(bin, "initdb"), ["--no-sync", "-E", "UTF8", "-A", "trust", "-U", "postgres", "-D", data], options);
  const settings = ["-D", data, "-p", String(port), "-k", dir, "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off"];
  const url = `postgres://postgres@127.0.0.1:${port}/postgres?sslmode=disable`;
  const service = await running(join(bin, "postgres"), settings, /ready to accept connections/, url, dir, options);
  return {
    ...service,
    async sql(statements) {
      await promisify(execFile)(join(bin, "psql"), [url, "-X", "-q", "-v", "ON_ERROR_STOP=1", "-c", statements]);
    },
  };
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {RegExp} ready
 * @param {string} url
 * @param {string} dir removed in the end
 * @param {import("node:child_process").SpawnOptionsWithoutStdio} [options]
 * @returns {Promise<Service>}
 */
async function running(command, args, ready, url, dir, options) {
  const tidy = () => rmSync(dir, { recursive: true });
  try {
    const service = await start(command, args, ready, options);
    return { url, stop: () => service.stop().then(tidy) };
  } catch (error) {
    tidy();
    throw error;
  }
}

/** @returns {Promise<number>} a port that nobody has at this moment */
function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer().once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => (address && typeof address === "object" ? resolve(address.port) : reject(new Error("no port"))));
    });
  });
}

/** Debian keeps PostgreSQL's programs apart by version: the newest; elsewhere they are on the PATH. */
function postgresPrograms() {
  const root = "/usr/lib/postgresql";
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [...versions.map((version) => join(root, version, "bin")), ...(process.env.PATH ?? "").split(delimiter)];
  const found = folders.find((folder) => existsSync(join(folder, "initdb")));
  if (!found) throw new Error("PostgreSQL's initdb is not installed");
  return found;
}

/** PostgreSQL refuses to run as root: then as the user of its package. */
function postgresUser() {
  if (process.getuid?.() !== 0) return undefined;
  const id = (/** @type {string} */ flag) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}
