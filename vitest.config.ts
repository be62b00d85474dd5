// Four projects. `npm test` runs `node` and `renderer`; `npm run test:slow` runs `slow` and `e2e`.
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BROWSER_AND_ELECTRON, OTHER_SLOW } from './scripts/lib/slow-tests.mjs';

const RENDERER = 'test/renderer/**/*.test.{ts,tsx}';

export default defineConfig({
  test: {
    // Many tests start processes of their own; more workers than cores only add timeouts.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Commands under test must not write the high-water marks of the person who runs the tests.
    env: { HOLDFAST_STATE: join(tmpdir(), 'holdfast-test-state') },
    projects: [
      {
        extends: true,
        test: {
          name: 'node',
          include: ['test/**/*.test.ts'],
          exclude: [BROWSER_AND_ELECTRON, RENDERER, ...OTHER_SLOW],
        },
      },
      {
        extends: true,
        test: { name: 'renderer', include: [RENDERER], environment: 'happy-dom' },
      },
      { extends: true, test: { name: 'slow', include: OTHER_SLOW } },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: [BROWSER_AND_ELECTRON],
          // The same limit as in test/support/eventually.ts.
          expect: { poll: { timeout: 20_000 } },
        },
      },
    ],
  },
});
