// Checks that a test cites every rule of SPEC.md, and that every cited rule exists.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';

const root = fileURLToPath(new URL('..', import.meta.url));
const RULE = /\[([A-Z]{2,4}-\d+[a-z]?)\]/g;

function idsIn(text: string): Set<string> {
  return new Set([...text.matchAll(RULE)].map(([, id]) => id as string));
}

const testFiles = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.(test|suite)\.tsx?$/.test(file))
  .map((file) => join(root, 'test', file));

const rules = idsIn(readFileSync(join(root, 'SPEC.md'), 'utf8'));
const cited = idsIn(testFiles.map((file) => readFileSync(file, 'utf8')).join('\n'));

const untested = [...rules].filter((id) => !cited.has(id));
const unknown = [...cited].filter((id) => !rules.has(id));
if (untested.length > 0) console.error(`No test cites these rules: ${untested.join(', ')}`);
if (unknown.length > 0)
  console.error(`Tests cite rules that SPEC.md does not have: ${unknown.join(', ')}`);
if (untested.length > 0 || unknown.length > 0) process.exitCode = 1;
else console.log(`${rules.size} rules, each cited by a test`);
