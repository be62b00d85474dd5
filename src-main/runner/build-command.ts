// From a request to a command: the script is listed, every argument is allowed, every path lies
// where the registry says once links are followed. The result is an argv; no shell ever sees it.
import { accessSync, constants, lstatSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { isRefusal, refuse, type Refusal } from '#main/runner/refusal.ts';
import { fullPath } from '#main/runner/registry-file.ts';
import { own, type Json } from '#shared/json.ts';
import { checkArg } from '#shared/runner/check-arg.ts';
import type { ArgSpec, Registry, ScriptSpec } from '#shared/runner/registry.ts';

export interface CommandRequest {
  readonly repoKey: string;
  readonly scriptKey: string;
  readonly args: { readonly [name: string]: Json };
}

export interface Command {
  readonly script: ScriptSpec;
  /** With every link followed. */
  readonly executable: string;
  readonly argv: readonly string[];
  readonly cwd: string;
}

export function assembleCommand(registry: Registry, request: CommandRequest): Command | Refusal {
  const script = own(registry.scripts, request.scriptKey);
  if (!script) {
    return refuse(404, 'unknown_script', `There is no script "${shown(request.scriptKey)}".`);
  }
  const repo = own(registry.repos, request.repoKey);
  if (!repo) return refuse(404, 'unknown_repo', `There is no repo "${shown(request.repoKey)}".`);
  if (script.repos && !script.repos.includes(request.repoKey)) {
    return notAllowed(`"${script.title}" may not run in the repo "${request.repoKey}".`);
  }
  const cwd = folderAt(fullPath(repo.path));
  if (typeof cwd !== 'string') return cwd;
  const executable = locateExecutable(script, cwd);
  if (typeof executable !== 'string') return executable;
  const argv = assembleArgs(script, request.args, cwd);
  if (isRefusal(argv)) return argv;
  return { script, executable, argv: [...script.fixedArgs, ...argv], cwd };
}

function assembleArgs(
  script: ScriptSpec,
  given: CommandRequest['args'],
  repo: string,
): string[] | Refusal {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(script.args, name));
  if (unknown !== undefined) {
    const known = Object.keys(script.args).join(', ') || 'none';
    return badArg(unknown, `is not allowed. Allowed are: ${known}`);
  }
  const argv: string[] = [];
  for (const [name, spec] of Object.entries(script.args)) {
    const value = own(given, name) ?? spec.default;
    if (value === undefined) {
      if (spec.required) return badArg(name, 'is missing');
      continue;
    }
    const words = wordsOf(name, spec, value, repo);
    if (isRefusal(words)) return words;
    argv.push(...words);
  }
  return argv;
}

function wordsOf(name: string, spec: ArgSpec, value: Json, repo: string): string[] | Refusal {
  const checked = checkArg(spec, value);
  if (!checked.ok) return badArg(name, checked.flaw);
  if (spec.type === 'boolean') return value === true && spec.flag ? [spec.flag] : [];
  const text = spec.type === 'path' ? insideOf(repo, checked.text) : checked.text;
  if (text === null) {
    return refuse(
      422,
      'path_escape',
      `The argument "${name}" leads out of the repo. Nothing was queued.`,
      [`args.${name}: leads out of the repo`],
    );
  }
  if (spec.flag === undefined) return [text];
  return spec.style === 'joined' ? [`${spec.flag}=${text}`] : [spec.flag, text];
}

function locateExecutable(script: ScriptSpec, repo: string): string | Refusal {
  const written = fullPath(script.executable);
  const path = isAbsolute(written) ? written : join(repo, written);
  const within = script.executableWithin ?? (isAbsolute(written) ? dirname(written) : repo);
  try {
    const folder = realpathSync(fullPath(within));
    const executable = realpathSync(path);
    if (!isInside(folder, executable)) {
      return notAllowed(
        `The program ${script.executable} is a link to ${executable}, which lies outside of ${folder}, where the registry wants it.`,
      );
    }
    if (!statSync(executable).isFile()) return notAllowed(`${script.executable} is not a file.`);
    accessSync(executable, constants.X_OK);
    return executable;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return notAllowed(`The program ${script.executable} cannot be started (${code ?? 'unknown'}).`);
  }
}

function folderAt(path: string): string | Refusal {
  try {
    const folder = realpathSync(path);
    if (statSync(folder).isDirectory()) return folder;
  } catch {
    // Said below.
  }
  return notAllowed(`The folder ${path} is not there.`);
}

/** The full path, with links followed as far as there is something; null where it leads out. */
function insideOf(repo: string, path: string): string | null {
  const wanted = resolve(repo, path);
  const real = realAsFarAs(wanted);
  return real !== null && isInside(repo, real) ? real : null;
}

function realAsFarAs(path: string): string | null {
  try {
    return realpathSync(path);
  } catch (error) {
    // A link that leads nowhere, or in circles, is there and says nothing: it is not followed.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || isThere(path)) return null;
    const parent = dirname(path);
    const real = parent === path ? null : realAsFarAs(parent);
    return real === null ? null : join(real, basename(path));
  }
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

function badArg(name: string, flaw: string): Refusal {
  const sentence = `The argument "${shown(name)}" ${flaw}. Nothing was queued.`;
  return refuse(422, 'arg_not_allowed', sentence, [`args.${shown(name)}: ${flaw}`]);
}

function notAllowed(sentence: string): Refusal {
  return refuse(422, 'script_not_allowed', `${sentence} Nothing was queued.`);
}

function shown(text: string): string {
  return text.slice(0, 80);
}
