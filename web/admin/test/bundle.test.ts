// What `make web` has built, as the server will send it.
import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";

const bundle = new URL("../../dist/admin/", import.meta.url);
const files = readdirSync(bundle, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => ({ name: entry.name, data: readFileSync(`${entry.parentPath}/${entry.name}`) }));

test("the console is at most 60 kB, compressed", () => {
  const sizes = files.map(({ data }) => gzipSync(data).length);
  expect(files.length).toBeGreaterThan(2);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(60_000);
});

test("nothing is inline but the settings, which are data", () => {
  const index = files.find(({ name }) => name === "index.html")?.data.toString() ?? "";
  const scripts = [...index.matchAll(/<script[^>]*>/g)].map(([tag]) => tag);
  expect(scripts.filter((tag) => !tag.includes("src="))).toEqual(['<script type="application/json" id="rollcall">']);
  expect(index).not.toMatch(/<style|\sstyle=|\son\w+=/);
});

test("nothing comes from elsewhere", () => {
  for (const { name, data } of files) {
    if (name.endsWith(".css")) expect(data.toString()).not.toMatch(/url\(|@import/);
    if (name.endsWith(".html")) expect(data.toString()).not.toMatch(/https?:/);
  }
});
