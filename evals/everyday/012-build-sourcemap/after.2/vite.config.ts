import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

export default defineConfig({
  plugins: [react()],
  resolve: {
    alias: {
      "@": fileURLToPath(new URL("./src", import.meta.url)),
    },
  },
  server: {
    port: 5180,
    proxy: {
      "/tiles": "http://localhost:8090",
    },
  },
  build: {
    outDir: "dist/web",
    sourcemap: true,
    target: "es2021",
  },
  test: {
    environment: "jsdom",
    globals: true,
  },
});
