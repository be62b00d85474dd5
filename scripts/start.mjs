// `npm start`: runs the desktop app, or serves the app to a browser where there is no display.

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

import { BuildFailed, ensureBuilt } from './lib/build.mjs';
import { downloadElectron, findElectron } from './lib/electron.mjs';
import { inRepo, repoRoot } from './lib/paths.mjs';
import { NODE_FLAGS } from './lib/node-flags.mjs';
import {
  endWithParent,
  envOfDependentChild,
  superviseChild,
  sayOnStderr as say,
} from './lib/processes.mjs';
import { useRightNode } from './lib/right-node.mjs';
import { CrsqliteUnavailable, ensureCrsqlite } from './setup-crsqlite.mjs';

// npm forwards no SIGKILL. Started directly, the app may outlive the shell that started it.
if (process.env['npm_lifecycle_event'] === 'start') endWithParent(npmProcess(), npmProcess);
await useRightNode(import.meta.url);
process.exitCode = await start(process.argv.slice(2));

/**
 * @param {string[]} args for the app
 * @returns {Promise<number>} exit code
 */
async function start(args) {
  try {
    process.env['HOLDFAST_CRSQLITE'] = await ensureCrsqlite({ say });
    await ensureBuilt({ say });
  } catch (error) {
    if (!(error instanceof CrsqliteUnavailable || error instanceof BuildFailed)) throw error;
    say(error.message);
    return 1;
  }
  const shell = await chooseShell();
  if ('reason' in shell) {
    say(`${shell.reason}, so Holdfast opens in your browser`);
    const serve = [inRepo('bin/holdfast.mjs'), 'serve', '--open', ...args];
    return run(process.execPath, [...NODE_FLAGS, ...serve]);
  }
  return run(shell.executable, [...sandboxArgs(), repoRoot, ...args]);
}

/** npm runs a script in a shell, which on Linux stays between npm and us and survives npm. */
function npmProcess() {
  if (process.platform !== 'linux') return process.ppid;
  const stat = readFileSync(`/proc/${process.ppid}/stat`, 'utf8');
  const [, npm] = /^\d+ \((?:sh|dash|bash)\) \S (\d+)/.exec(stat) ?? [];
  return npm === undefined ? process.ppid : Number(npm);
}

/** @returns {Promise<{ executable: string } | { reason: string }>} */
async function chooseShell() {
  if (!hasDisplay()) return { reason: 'there is no display' };
  const found = findElectron();
  if (found) return found;
  say('downloading the Electron binary (once, up to 2 minutes)');
  return (await downloadElectron()) ?? { reason: 'the Electron binary could not be downloaded' };
}

function hasDisplay() {
  if (process.platform !== 'linux') return true;
  return Boolean(process.env['DISPLAY'] || process.env['WAYLAND_DISPLAY']);
}

/** Chromium refuses to run as root with its sandbox. Every other user keeps the sandbox. */
function sandboxArgs() {
  return process.platform === 'linux' && process.getuid?.() === 0 ? ['--no-sandbox'] : [];
}

/**
 * @param {string} program
 * @param {string[]} args
 */
function run(program, args) {
  const env = envOfDependentChild();
  return superviseChild(spawn(program, args, { stdio: 'inherit', cwd: repoRoot, env }));
}
