// `npm run fuzz [-- --minutes M] [--target NAME] [--seed S] [--json]`: bytes that are led by what
// they reach in the code. Exits 1 when a target broke its promise, with the input that did it.

import { runOurs } from './lib/ours.mjs';
import { useRightNode } from './lib/right-node.mjs';

await useRightNode(import.meta.url);
process.exitCode = await runOurs('test/fuzz/main.ts', process.argv.slice(2));
