import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      { test: { name: "unit", include: ["test/unit/*.test.ts"], testTimeout: 30_000 } },
      // Against a real server: ROLLCALL_BIN.
      {
        test: {
          name: "server",
          include: ["test/server/*.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 60_000,
          maxWorkers: 4, // they wait more than they work
        },
      },
    ],
  },
});
