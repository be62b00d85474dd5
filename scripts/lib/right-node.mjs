// Which Node a script of ours runs on. This file must parse and run on Node 20, because that is
// what many systems start it with; so neither it nor what it imports may need a package.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { NODE_FLAGS } from './node-flags.mjs';
import { passOn } from './processes.mjs';

// better-sqlite3 13 crashes on Node 20, and our TypeScript runs by Node's own type stripping.
const NEEDED_MAJOR = 24;

// Set for the second start only, so that a platform package with an old Node inside cannot make
// the script start itself for ever.
const RERUN_MARK = 'HOLDFAST_NODE_RERUN';

/**
 * Goes on at once on a Node that is new enough. Otherwise runs the same script with the same
 * arguments on the Node that `npm install` brought, and ends this process with that one's result.
 *
 * @param {string} scriptUrl the caller's `import.meta.url`
 * @param {{ running?: string, nodePath?: string | null }} [trial] what to take for the running
 *   version and for the Node to use instead; for tests, which cannot count on an old Node
 * @returns {Promise<void>}
 */
export async function useRightNode(scriptUrl, trial = {}) {
  const running = trial.running ?? process.versions.node;
  const isRerun = process.env[RERUN_MARK] === '1';
  // Not for our children: a program that we run may start one of these scripts on an old Node.
  delete process.env[RERUN_MARK];
  if (Number.parseInt(running, 10) >= NEEDED_MAJOR) return;

  const rightNode = trial.nodePath === undefined ? installedNode() : trial.nodePath;
  if (rightNode === null || isRerun) {
    process.stderr.write(`holdfast: ${howToGetNode(running)}\n`);
    process.exit(1);
  }
  const args = [...NODE_FLAGS, fileURLToPath(scriptUrl), ...process.argv.slice(2)];
  const child = spawn(rightNode, args, {
    stdio: 'inherit',
    env: { ...process.env, [RERUN_MARK]: '1' },
  });
  process.exit(await passOn(child));
}

/**
 * The Node of the platform package, or null where there is none (macOS has no such package).
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
    `Run "npm install" in Holdfast's folder, which brings one on Linux and on Windows x64, ` +
    `or install Node ${NEEDED_MAJOR} and start this again.`
  );
}
