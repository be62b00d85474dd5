// `npm run simulate [-- --seeds N] [--from S] [--seed S] [--json]`: several devices, whatever happens
// to them. Exits 1 when a promise was broken, with the shortest story that breaks it.

import { runOurs } from './lib/ours.mjs';
import { useRightNode } from './lib/right-node.mjs';

await useRightNode(import.meta.url);
process.exitCode = await runOurs('test/simulation/main.ts', process.argv.slice(2));
