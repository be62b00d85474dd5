// `npm run ingress-load [-- --json] [-- --inputs N] [-- --kills N]`: webhooks by the thousand while
// the host is killed, and exits 1 when one is lost, doubled or has not ended.

import { runOurs } from './lib/ours.mjs';
import { useRightNode } from './lib/right-node.mjs';

await useRightNode(import.meta.url);
process.exitCode = await runOurs('test/inputs/load/load.ts', process.argv.slice(2));
