import { defineConfig } from "vitest/config";

export default defineConfig({
  base: "/admin/",
  build: {
    outDir: "../dist/admin",
    emptyOutDir: true,
    modulePreload: { polyfill: false },
  },
  test: { include: ["test/**/*.test.ts"] },
});
