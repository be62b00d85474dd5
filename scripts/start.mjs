// `npm start`: the desktop app where there is a desktop, else the same app served to a browser.

import { spawn } from 'node:child_process';

import { BuildFailed, ensureBuilt } from './lib/build.mjs';
import { downloadElectron, findElectron } from './lib/electron.mjs';
import { inRepo, repoRoot } from './lib/places.mjs';
import { NODE_FLAGS } from './lib/node-flags.mjs';
import { passOn, sayOnStderr as say } from './lib/processes.mjs';
import { useRightNode } from './lib/right-node.mjs';
import { CrsqliteUnavailable, ensureCrsqlite } from './setup-crsqlite.mjs';

await useRightNode(import.meta.url);
process.exitCode = await start(process.argv.slice(2));

/**
 * @param {string[]} args passed through
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
    say(`${shell.reason}, so Holdfast opens in the browser`);
    const serve = [inRepo('bin/holdfast.mjs'), 'serve', '--open', ...args];
    return run(process.execPath, [...NODE_FLAGS, ...serve]);
  }
  return run(shell.executable, [...sandboxArgs(), repoRoot, ...args]);
}

/** @returns {Promise<{ executable: string } | { reason: string }>} */
async function chooseShell() {
  if (!hasDisplay()) return { reason: 'there is no display' };
  const found = findElectron();
  if (found) return found;
  say('fetching the Electron binary (once, up to 2 minutes)');
  return (await downloadElectron()) ?? { reason: 'the Electron binary could not be fetched' };
}

function hasDisplay() {
  if (process.platform !== 'linux') return true;
  return Boolean(process.env['DISPLAY'] || process.env['WAYLAND_DISPLAY']);
}

/** Chromium refuses to run as root with its sandbox; nobody else should lose it. */
function sandboxArgs() {
  return process.platform === 'linux' && process.getuid?.() === 0 ? ['--no-sandbox'] : [];
}

/**
 * @param {string} program
 * @param {string[]} args
 */
function run(program, args) {
  return passOn(spawn(program, args, { stdio: 'inherit', cwd: repoRoot }));
}
