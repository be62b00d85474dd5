// `node scripts/run.mjs SCRIPT.ts [ARG …]`: runs a TypeScript script with cr-sqlite on a Node that
// can execute it. The npm scripts use it because the system's Node may be too old for TypeScript.

import { useRightNode } from './lib/right-node.mjs';
import { runScript } from './lib/run-script.mjs';

await useRightNode(import.meta.url);
const [script, ...args] = process.argv.slice(2);
if (script === undefined) throw new Error('usage: node scripts/run.mjs SCRIPT.ts [ARG …]');
process.exitCode = await runScript(script, args);
