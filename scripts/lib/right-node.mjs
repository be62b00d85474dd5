// Runs our scripts on a suitable Node. This file and its imports must run on Node 20, which many
// systems have, and must not need any package.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { NODE_FLAGS } from './node-flags.mjs';
import { endWithParent, envOfDependentChild, superviseChild } from './processes.mjs';

// better-sqlite3 13 crashes on Node 20, and our TypeScript relies on Node's type stripping.
const NEEDED_MAJOR = 24;

// Set for the second start only: a platform package that contains an old Node must not cause an
// endless loop.
const RERUN_MARK = 'HOLDFAST_NODE_RERUN';

/**
 * Returns if this Node is new enough. Otherwise runs the same script with the same arguments on the
 * Node that `npm install` installed, and exits with its exit code.
 *
 * @param {string} scriptUrl the caller's `import.meta.url`
 * @param {{ running?: string, nodePath?: string | null }} [trial] overrides the running version and
 *   the Node to use instead; for tests, which may run without an old Node
 * @returns {Promise<void>}
 */
export async function useRightNode(scriptUrl, trial = {}) {
  const running = trial.running ?? process.versions.node;
  const isRerun = process.env[RERUN_MARK] === '1';
  // Children must not inherit it: they may start one of these scripts on an old Node.
  delete process.env[RERUN_MARK];
  endWithParent();
  if (Number.parseInt(running, 10) >= NEEDED_MAJOR) return;

  const rightNode = trial.nodePath === undefined ? installedNode() : trial.nodePath;
  if (rightNode === null || isRerun) {
    process.stderr.write(`holdfast: ${howToGetNode(running)}\n`);
    process.exit(1);
  }
  const args = [...NODE_FLAGS, fileURLToPath(scriptUrl), ...process.argv.slice(2)];
  const child = spawn(rightNode, args, {
    stdio: 'inherit',
    env: { ...envOfDependentChild(), [RERUN_MARK]: '1' },
  });
  process.exit(await superviseChild(child));
}

/**
 * The Node of the platform package, or null if there is none (macOS has no such package).
 *
 * @returns {string | null}
 */
function installedNode() {
  const windows = process.platform === 'win32';
  const packageName = `node-${windows ? 'win' : process.platform}-${process.arch}`;
  try {
    const manifest = createRequire(import.meta.url).resolve(`${packageName}/package.json`);
    const node = path.join(path.dirname(manifest), 'bin', windows ? 'node.exe' : 'node');
    return existsSync(node) ? node : null;
  } catch {
    return null;
  }
}

/** @param {string} running */
function howToGetNode(running) {
  return (
    `this is Node ${running}, and Holdfast needs Node ${NEEDED_MAJOR} or newer. ` +
    `Run "npm install" in Holdfast's folder, which installs one on Linux and Windows x64, ` +
    `or install Node ${NEEDED_MAJOR} and try again.`
  );
}
