import { defineConfig } from "vite";

export default defineConfig({
  build: {
    outDir: "../dist/graphiql",
    emptyOutDir: true,
    // Monaco alone is 2.8 MB; this page is for developers, mostly from their own machine.
    chunkSizeWarningLimit: 4000,
    rolldownOptions: {
      // "use client" means something to a server that renders React, and there is none here.
      checks: { moduleLevelDirective: false },
    },
  },
  // The GraphQL worker loads its formatter only when it is asked to format, which a classic script cannot.
  worker: { format: "es" },
});
