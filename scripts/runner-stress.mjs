// `npm run runner-stress [-- --json] [-- --jobs N] [-- --kills N]`: many real scripts, and
// exits 1 when a job did not end, ran twice, left a process or lost a part of its log.

import { runOurs } from './lib/ours.mjs';
import { useRightNode } from './lib/right-node.mjs';

await useRightNode(import.meta.url);
process.exitCode = await runOurs('test/runner/stress/stress.ts', process.argv.slice(2));
