// `npm run crash-matrix [-- --json] [-- --only TEXT] [-- --kills]`: pulls the plug everywhere, and
// exits 1 when an effect happened twice, got lost, or a run did not end.

import { runOurs } from './lib/ours.mjs';
import { useRightNode } from './lib/right-node.mjs';

await useRightNode(import.meta.url);
process.exitCode = await runOurs('test/crash/matrix/matrix.ts', process.argv.slice(2));
