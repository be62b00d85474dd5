// `npm run screenshots [-- NAME …]`: takes a screenshot of every page, with real hosts and real data,
// into screenshots/ for a person to review. `-- --docs` takes those of the README into docs/images.

import { ensureBuilt } from './lib/build.mjs';
import { runScript } from './lib/run-script.mjs';
import { sayOnStderr as say } from './lib/processes.mjs';
import { useRightNode } from './lib/right-node.mjs';
import { prepareBrowser } from './test-runtime.mjs';

await useRightNode(import.meta.url);
process.exitCode = await screenshots(process.argv.slice(2));

/**
 * @param {string[]} args names of screenshots; none for all
 * @returns {Promise<number>} exit code
 */
async function screenshots(args) {
  await ensureBuilt({ say });
  const browser = await prepareBrowser({ say });
  if (!browser.ok) {
    say(`no screenshots were taken: ${browser.reason}`);
    return 1;
  }
  process.env['HOLDFAST_TEST_CHROMIUM'] = browser.executable;
  return runScript('test/e2e/screenshots/main.ts', args);
}
