// Child processes: supervise one, capture its output, or find a program on the PATH.

import { spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** @typedef {(line: string) => void} Say */

/**
 * Progress goes to stderr: the stdout of `holdfast serve --json` belongs to its JSON.
 *
 * @type {Say}
 */
export function sayOnStderr(line) {
  process.stderr.write(`holdfast: ${line}\n`);
}

/**
 * Forwards our signals to a child that inherited our stdio, and resolves with its exit code.
 *
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<number>}
 */
export function superviseChild(child) {
  // On a terminal, Ctrl-C already goes to the whole process group; forwarding SIGINT would look like
  // a second Ctrl-C.
  const onTerminal = [process.stdin, process.stdout, process.stderr].some((s) => s.isTTY);
  const forward = (/** @type {NodeJS.Signals} */ signal) => {
    if (signal !== 'SIGINT' || !onTerminal) child.kill(signal);
  };
  /** @type {NodeJS.Signals[]} */
  const signals = process.platform === 'win32' ? ['SIGINT'] : ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, forward);

  return new Promise((resolve) => {
    const done = (/** @type {number} */ code) => {
      for (const signal of signals) process.off(signal, forward);
      resolve(code);
    };
    child.once('error', (error) => {
      process.stderr.write(`holdfast: could not start ${child.spawnfile}: ${error.message}\n`);
      done(1);
    });
    // The shell convention for signals: 128 plus the signal's number.
    child.once('exit', (code, signal) => {
      done(code ?? 128 + (signal ? os.constants.signals[signal] : 0));
    });
  });
}

/** Set for a child that must not outlive the process of this id. */
const PARENT_PID = 'HOLDFAST_PARENT_PID';
const PARENT_CHECK_MS = 1000;

/** Environment for a child that ends with this process; the child calls `endWithParent`. */
export function envOfDependentChild() {
  return { ...process.env, [PARENT_PID]: String(process.pid) };
}

/**
 * Ends this process with SIGTERM, and so in order, once its parent is gone. A parent killed with
 * SIGKILL cannot forward anything, so the child has to look.
 *
 * @param {number} [parent] by default the process that set `envOfDependentChild`, if any
 * @param {() => number} [findParent] the current parent
 */
export function endWithParent(
  parent = Number(process.env[PARENT_PID]),
  findParent = () => process.ppid,
) {
  // Grandchildren have another parent.
  delete process.env[PARENT_PID];
  if (!(parent > 0)) return;
  const timer = setInterval(() => {
    if (isParentAlive(parent, findParent)) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, PARENT_CHECK_MS);
  timer.unref();
}

/**
 * @param {number} parent
 * @param {() => number} findParent
 */
function isParentAlive(parent, findParent) {
  if (process.platform !== 'win32') return findParent() === parent;
  // Windows does not assign a new parent to an orphan.
  try {
    return process.kill(parent, 0);
  } catch {
    return false;
  }
}

/**
 * @typedef {object} Outcome
 * @property {boolean} ok exited with code 0
 * @property {string} stdout
 * @property {string} output stdout and stderr interleaved
 * @property {string} ending "exit code 2", "SIGSEGV", "timed out …"
 */

/**
 * Runs a program and captures its output. Never throws: a missing program is an outcome, too.
 *
 * @param {string} program
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, timeoutMs?: number }} [options]
 * @returns {Promise<Outcome>}
 */
export function capture(program, args, { cwd, env, timeoutMs } = {}) {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd,
      env: env ?? process.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let output = '';
    let timedOut = false;
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text;
      output += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
    const timer =
      timeoutMs === undefined
        ? undefined
        : setTimeout(() => {
            timedOut = true;
            child.kill('SIGKILL');
          }, timeoutMs);
    const end = (/** @type {boolean} */ ok, /** @type {string} */ ending) => {
      clearTimeout(timer);
      resolve({ ok, stdout, output, ending });
    };
    child.once('error', (error) => end(false, error.message));
    child.once('close', (code, signal) => {
      if (timedOut) end(false, `timed out after ${timeoutMs} ms`);
      else end(code === 0, signal ?? `exit code ${code}`);
    });
  });
}

/**
 * Finds a program on the PATH.
 *
 * @param {string} name a bare name, or a path, which is only checked
 * @returns {string | null}
 */
export function findProgram(name) {
  if (path.basename(name) !== name) return isProgram(name) ? name : null;
  const folders = (process.env['PATH'] ?? '').split(path.delimiter).filter(Boolean);
  const endings = process.platform === 'win32' ? ['.exe', '.cmd', ''] : [''];
  for (const folder of folders) {
    for (const ending of endings) {
      const candidate = path.join(folder, name + ending);
      if (isProgram(candidate)) return candidate;
    }
  }
  return null;
}

/** @param {string} file */
function isProgram(file) {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/**
 * The last lines of an output, where compilers and apt report errors.
 *
 * @param {string} output
 */
export function lastLines(output, count = 15) {
  return output.trimEnd().split('\n').slice(-count).join('\n');
}
