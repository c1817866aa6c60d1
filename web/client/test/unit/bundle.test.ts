// What a page has to load for the library.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { build, type Rolldown } from "vite";
import { expect, test } from "vitest";

const folder = new URL("../../", import.meta.url).pathname;

test("the main entry is at most 8 kB, and needs nothing else", async () => {
  const built = await build({
    root: folder,
    configFile: false,
    logLevel: "silent",
    build: {
      write: false,
      target: "es2022",
      modulePreload: false,
      rolldownOptions: { input: "src/index.ts", preserveEntrySignatures: "strict" },
    },
  });
  const { output } = built as Rolldown.RolldownOutput;
  expect(output).toHaveLength(1);
  const [chunk] = output;
  const code = chunk.code;
  expect(code).toMatch(/export\s*\{.*createClient.*createPresence/s);
  expect(chunk.imports).toEqual([]);
  const bytes = gzipSync(code, { level: 9 }).length;
  console.log(`@rollcall/client: ${bytes} bytes`);
  expect(bytes).toBeLessThanOrEqual(8_000);
});

test("React is optional, and only where it is used", () => {
  const manifest = JSON.parse(readFileSync(`${folder}package.json`, "utf8"));
  expect(manifest.dependencies).toBeUndefined();
  expect(manifest.peerDependenciesMeta).toEqual({ react: { optional: true } });
});
