import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// `npm run dev` serves the pages with live reload in front of a running service.
const service = process.env.DIAMOND_URL ?? "http://127.0.0.1:8642";
const proxied = {
  target: service,
  changeOrigin: true,
  headers: { origin: service }, // The service only accepts writes from its own origin.
};

export default defineConfig({
  plugins: [react()],
  resolve: { alias: { "~": fileURLToPath(new URL("./src", import.meta.url)) } },
  build: {
    outDir: process.env.DIAMOND_PAGES ?? "../src/diamond/service/static",
    emptyOutDir: true,
    target: "es2023",
    // These support light-dark(); transpiled for older browsers it would ignore the chosen colour scheme.
    cssTarget: ["chrome123", "edge123", "firefox120", "safari17.5"],
    chunkSizeWarningLimit: 800,
    rolldownOptions: {
      output: {
        // Code every page needs is one file instead of forty, each of which costs some milliseconds.
        codeSplitting: { groups: [{ name: "frame", tags: ["$initial"] }] },
      },
    },
  },
  server: { proxy: { "/api": proxied, "/open": proxied, "/docs": proxied, "/agent.pyz": proxied } },
});
