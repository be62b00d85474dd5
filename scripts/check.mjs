// `npm run check:static`: every check that needs no test run. Each prints one line, and its output only
// if it failed. All of them run, so that one round shows every problem.

import { readFileSync } from 'node:fs';

import { inRepo, repoRoot } from './lib/paths.mjs';
import { capture } from './lib/processes.mjs';
import { useRightNode } from './lib/right-node.mjs';
import { ensureCrsqlite } from './setup-crsqlite.mjs';

/** @typedef {{ ok: boolean, output: string }} Result */

const LAYERS = ['src-main', 'src-renderer', 'src-shared', 'test/blackbox'];

/** @type {{ name: string, run: () => Promise<Result> | Result }[]} */
const checks = [
  { name: 'format', run: () => tool('oxfmt', ['--check']) },
  // Warnings fail as well, because a passing check shows no output.
  { name: 'lint', run: () => tool('oxlint', ['--type-aware', '--deny-warnings']) },
  { name: 'types', run: () => tool('typescript', ['--noEmit', '-p', 'tsconfig.json'], 'tsc') },
  {
    name: 'layers',
    run: () =>
      tool('dependency-cruiser', ['--config', '.dependency-cruiser.cjs', ...LAYERS], 'depcruise'),
  },
  { name: 'dead code', run: () => tool('knip', []) },
  // Tests are no entries here: an export that only a test imports is dead code.
  {
    name: 'code only tests use',
    run: () => tool('knip', ['--production', '--include', 'files,exports,types']),
  },
  { name: 'spec coverage', run: () => node([inRepo('scripts/spec-coverage.ts'), '--titles']) },
  { name: 'spec tables', run: () => node([inRepo('scripts/spec-tables.ts')]) },
  { name: 'schema doc', run: () => node([inRepo('scripts/schema-doc.ts'), '--check']) },
  { name: 'tools doc', run: () => node([inRepo('scripts/tools-doc.ts'), '--check']) },
  { name: 'licences', run: () => node([inRepo('scripts/licences.ts'), '--check']) },
  { name: 'lock file', run: checkLockFile },
];

await useRightNode(import.meta.url);
// The schema is read from a real database, which needs the extension.
process.env['HOLDFAST_CRSQLITE'] = await ensureCrsqlite();
process.exitCode = await check();

/** @returns {Promise<number>} exit code */
async function check() {
  const failed = [];
  for (const { name, run } of checks) {
    const startedAt = performance.now();
    const { ok, output } = await run();
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    process.stdout.write(`${ok ? 'ok    ' : 'FAILED'} ${name.padEnd(14)} ${seconds} s\n`);
    if (ok) continue;
    failed.push(name);
    process.stdout.write(`${output.trimEnd()}\n\n`);
  }
  if (failed.length === 0) return 0;
  process.stdout.write(`failed: ${failed.join(', ')}\n`);
  return 1;
}

/**
 * Runs a tool of node_modules by its own file, so that this works the same on Windows, where
 * node_modules/.bin has shell scripts.
 *
 * @param {string} packageName
 * @param {string[]} args
 * @param {string} [command] if it differs from the package name
 */
function tool(packageName, args, command = packageName) {
  const manifest = JSON.parse(
    readFileSync(inRepo('node_modules', packageName, 'package.json'), 'utf8'),
  );
  const file = typeof manifest.bin === 'string' ? manifest.bin : manifest.bin[command];
  return node([inRepo('node_modules', packageName, file), ...args]);
}

/** @param {string[]} args */
function node(args) {
  return capture(process.execPath, args, { cwd: repoRoot });
}

/**
 * The lock file pins packages by content hash. An address in it would tie every install to one
 * developer's registry.
 *
 * @returns {Result}
 */
function checkLockFile() {
  const lock = JSON.parse(readFileSync(inRepo('package-lock.json'), 'utf8'));
  const named = Object.entries(/** @type {Record<string, any>} */ (lock.packages))
    .filter(([, entry]) => /^[a-z+]+:\/\//.test(entry.resolved ?? ''))
    .map(([name, entry]) => `${name}: ${entry.resolved}`);
  const advice = 'Remove these "resolved" fields (.npmrc keeps npm from writing them):';
  return { ok: named.length === 0, output: [advice, ...named].join('\n') };
}
