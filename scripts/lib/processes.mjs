// Running other programs: to wait for one, to read one, or to stand in front of one.

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
 * Stands in front of a child that has our stdio: signals meant for us reach it, and the number
 * that comes back is what we should exit with.
 *
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<number>}
 */
export function passOn(child) {
  // On a terminal, Ctrl-C already goes to the whole process group; a second SIGINT from us would
  // look like an impatient second Ctrl-C.
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
    // As a shell reports it: 128 and the signal's number.
    child.once('exit', (code, signal) => {
      done(code ?? 128 + (signal ? os.constants.signals[signal] : 0));
    });
  });
}

/**
 * @typedef {object} Outcome
 * @property {boolean} ok ended by itself with code 0
 * @property {string} stdout
 * @property {string} output stdout and stderr as they came
 * @property {string} ending how it ended, for a sentence: "exit code 2", "SIGSEGV", "timed out …"
 */

/**
 * Runs a program to its end and keeps what it printed. Never throws: a program that is not there
 * is an outcome, too.
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
 * Looks a program up on the PATH, as a shell would.
 *
 * @param {string} name a bare name, or a path which is then only checked
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
 * The end of a long output, which is where compilers and apt say what went wrong.
 *
 * @param {string} output
 */
export function lastLines(output, count = 15) {
  return output.trimEnd().split('\n').slice(-count).join('\n');
}
