// Three kinds of tests: in Node, in a DOM, and against real programs (Chromium, Electron).
import { defineConfig } from 'vitest/config';

const REAL_PROGRAMS = 'test/e2e/**/*.test.ts';
const RENDERER = 'test/renderer/**/*.test.{ts,tsx}';

export default defineConfig({
  test: {
    // Many tests start real processes on two cores.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: { name: 'node', include: ['test/**/*.test.ts'], exclude: [REAL_PROGRAMS, RENDERER] },
      },
      {
        extends: true,
        test: { name: 'renderer', include: [RENDERER], environment: 'happy-dom' },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: [REAL_PROGRAMS],
          // Real programs on a busy machine: one that fails once and then holds is told as such.
          retry: 1,
          testTimeout: 60_000,
          // As test/support/eventually.ts: real programs on a busy machine.
          expect: { poll: { timeout: 20_000 } },
        },
      },
    ],
  },
});
