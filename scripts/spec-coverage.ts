// Every rule of SPEC.md is cited by at least one test, and no test cites a rule that is not there.
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
if (untested.length > 0) console.error(`Rules that no test cites: ${untested.join(', ')}`);
if (unknown.length > 0)
  console.error(`Tests cite rules that are not in SPEC.md: ${unknown.join(', ')}`);
if (untested.length > 0 || unknown.length > 0) process.exitCode = 1;
else console.log(`${rules.size} rules, each cited by a test`);
