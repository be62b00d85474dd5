// Builds the three parts of the app: the main process and the preload for Electron, and the
// renderer, which Electron and a browser load alike from the root of an origin.
import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';
import type { Plugin, UserConfig } from 'vite';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Vite's development server needs an inline script; what is shipped has none, and forbids them. */
const noPolicyWhileDeveloping: Plugin = {
  name: 'holdfast:no-policy-while-developing',
  apply: 'serve',
  transformIndexHtml: (html) =>
    html.replace(/<meta\s+http-equiv="Content-Security-Policy"[^>]*>/, ''),
};

/** electron-vite asks for relative addresses; under /runs/ID those would lead nowhere. */
const fromTheRoot: Plugin = {
  name: 'holdfast:from-the-root',
  enforce: 'post',
  config: () => ({ base: '/' }),
};

/** Also used alone, by whoever wants the pages without Electron. */
export const renderer = {
  root: here('src-renderer'),
  base: '/',
  plugins: [react(), tailwindcss(), noPolicyWhileDeveloping, fromTheRoot],
  server: { fs: { allow: [here('.')] } },
  build: {
    outDir: here('out/renderer'),
    emptyOutDir: true,
    // electron-vite would not; a browser reads a third of it.
    minify: true,
    // Loaded from the same machine: one file is faster than many.
    chunkSizeWarningLimit: 1_000,
    sourcemap: true,
    // Any current browser, not only the Chromium of our Electron.
    target: 'es2023',
    // Both Chromiums that load it know modulepreload; the polyfill would be dead weight.
    modulePreload: { polyfill: false },
    // A data: URL in a script or style is what the page's policy forbids.
    assetsInlineLimit: 0,
    rolldownOptions: { input: here('src-renderer/index.html') },
  },
} satisfies UserConfig;

export default defineConfig({
  main: {
    build: {
      outDir: here('out/main'),
      sourcemap: true,
      externalizeDeps: true,
      rolldownOptions: {
        input: {
          testing: here('src-main/testing/test-workflow.ts'),
          main: here('src-main/shell/main.ts'),
          // Found beside main.js by src-main/sandbox/worker-entry.ts.
          'sandbox-worker': here('src-main/sandbox/worker.ts'),
        },
        output: { format: 'es', entryFileNames: '[name].js' },
      },
    },
  },
  preload: {
    build: {
      outDir: here('out/preload'),
      sourcemap: true,
      // A sandboxed preload can require nothing but electron: everything else goes in.
      externalizeDeps: false,
      rolldownOptions: {
        input: { preload: here('src-main/shell/preload.ts') },
        output: { format: 'cjs', entryFileNames: '[name].cjs', codeSplitting: false },
      },
    },
  },
  renderer,
});
