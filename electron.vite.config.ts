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

/**
 * Monaco writes styles as text, which the page's policy forbids; the same calls of ours go through
 * the CSSOM. Each place is named, so that an update of Monaco cannot bring one unseen.
 */
const MONACO_STYLES: readonly (readonly [file: RegExp, from: RegExp, to: string])[] = [
  [
    /\/(?:domStylesheets|contextview)\.js$/,
    /document\.createElement\('style'\)/,
    'createStyleElement()',
  ],
  [/\/diffEditorViewZones\.js$/, /\.setAttribute\('style', (`[^`]*`)\)/, '.style.cssText = $1'],
  [
    /\/(?:accessibleDiffViewer|viewLayer)\.js$/,
    /([\w.]+)\.insertAdjacentHTML\(('\w+'), (\w+)\)/g,
    'insertHtml($1, $2, $3)',
  ],
  [
    /\/(?:ghostTextView|stickyScrollWidget|domLineBreaksComputer|viewLayer|renderLines|screenReaderContentRich|colorizer|editorMarkdownCodeBlockRenderer)\.js$/,
    /([\w.]+)\.innerHTML = (\w+);/g,
    'setHtml($1, $2);',
  ],
];

/** A sanitizer, which writes into a document that is never shown; and texts of type definitions. */
const MONACO_HARMLESS = /\/(?:dompurify|typescript\/lib\/lib)\.js$/;

const monacoUnderOurPolicy: Plugin = {
  name: 'holdfast:monaco-under-our-policy',
  apply: 'build',
  transform(code, id) {
    if (!id.includes('/monaco-editor/esm/vs/') || MONACO_HARMLESS.test(id)) return null;
    let edited = code;
    for (const [file, from, to] of MONACO_STYLES) {
      if (file.test(id)) edited = edited.replace(from, to);
    }
    if (
      /createElement\('style'\)|\.innerHTML = (?!'')|insertAdjacentHTML|setAttribute\('style'/.test(
        edited,
      )
    ) {
      this.error(`${id} writes styles in a way that the page's policy forbids; name it here.`);
    }
    if (edited === code) return null;
    const ours = here('src-renderer/editor/strict-styles.ts');
    return {
      code: `import { createStyleElement, insertHtml, setHtml } from '${ours}';\n${edited}`,
      map: null,
    };
  },
};

/** Exported for builds of the pages without Electron. */
export const renderer = {
  root: here('src-renderer'),
  base: '/',
  plugins: [react(), tailwindcss(), noPolicyWhileDeveloping, fromTheRoot, monacoUnderOurPolicy],
  // A worker is a file of its own, from our own origin.
  worker: { format: 'es' },
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
          // For the npm package: Node runs no TypeScript from node_modules.
          cli: here('src-main/cli/main.ts'),
          workflow: here('src-shared/authoring/workflow.ts'),
          // Found beside main.js by src-main/sandbox/worker-entry.ts.
          'sandbox-worker': here('src-main/sandbox/worker.ts'),
          'upkeep-worker': here('src-main/upkeep/backup-worker.ts'),
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
