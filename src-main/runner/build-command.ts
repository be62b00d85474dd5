// Builds the command of a job from the registry: checks the script, every argument, and that every
// path is inside its folder after resolving symlinks. The result is an argv; no shell parses it.
import { accessSync, constants, lstatSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { notEnforceable, type NetworkIsolation } from '#main/runner/network-isolation.ts';
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
  /** Without symlinks. */
  readonly executable: string;
  readonly argv: readonly string[];
  readonly cwd: string;
}

export function buildCommand(registry: Registry, request: CommandRequest): Command | Refusal {
  const script = own(registry.scripts, request.scriptKey);
  if (!script) {
    return refuse(
      404,
      'unknown_script',
      `There is no script "${shown(request.scriptKey)}". Nothing was queued. Scripts: ${listed(registry.scripts)}.`,
    );
  }
  const repo = own(registry.repos, request.repoKey);
  if (!repo) {
    const message = `There is no repo "${shown(request.repoKey)}". Nothing was queued. Repos: ${listed(registry.repos)}.`;
    return refuse(404, 'unknown_repo', message);
  }
  if (script.repos && !script.repos.includes(request.repoKey)) {
    return notAllowed(`"${script.title}" is not allowed in the repo "${request.repoKey}".`);
  }
  const cwd = folderAt(fullPath(repo.path));
  if (typeof cwd !== 'string') return notAllowed(cwd.flaw);
  const executable = locateExecutable(script, cwd);
  if (typeof executable !== 'string') return notAllowed(executable.flaw);
  const argv = buildArgs(script, request.args, cwd);
  if (isRefusal(argv)) return argv;
  return { script, executable, argv: [...script.fixedArgs, ...argv], cwd };
}

/** Problems that keep scripts of a valid registry from running: missing folders, programs without a run
 * bit, a network that can't be turned off. */
export async function unrunnableScripts(
  { repos, scripts }: Registry,
  isolation: NetworkIsolation,
): Promise<string[]> {
  const folders = Object.entries(repos).map(([key, { path }]) => ({
    key,
    found: folderAt(fullPath(path)),
  }));
  const missing = folders.flatMap(({ key, found }) =>
    typeof found === 'string' ? [] : [`The repo "${key}" can't be used: ${found.flaw}`],
  );
  const blocked = Object.entries(scripts).flatMap(([key, script]) => {
    const flaws = folders
      .filter((repo) => script.repos?.includes(repo.key) ?? true)
      .flatMap(({ found }) => (typeof found === 'string' ? [locateExecutable(script, found)] : []))
      .flatMap((located) => (typeof located === 'string' ? [] : [located.flaw]));
    return [...new Set(flaws)].map((flaw) => `The script "${key}" can't run: ${flaw}`);
  });
  return [...missing, ...blocked, ...(await unenforceable(scripts, isolation))];
}

async function unenforceable(
  scripts: Registry['scripts'],
  isolation: NetworkIsolation,
): Promise<string[]> {
  const isolated = Object.entries(scripts).filter(([, { network }]) => network === 'none');
  const why = isolated.length === 0 ? null : await isolation.check();
  if (why === null) return [];
  return isolated.map(
    ([key, { title }]) => `The script "${key}" can't run: ${notEnforceable(title, why)}`,
  );
}

function buildArgs(
  script: ScriptSpec,
  given: CommandRequest['args'],
  repo: string,
): string[] | Refusal {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(script.args, name));
  if (unknown !== undefined) {
    const known = Object.keys(script.args).join(', ') || 'none';
    return badArg(unknown, `is not allowed; the script takes: ${known}`);
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
  const text = spec.type === 'path' ? resolveInside(repo, checked.text) : checked.text;
  if (text === null) {
    return refuse(
      422,
      'path_escape',
      `The argument "${name}" is a path outside the repo. Nothing was queued.`,
      [`args.${name}: is a path outside the repo`],
    );
  }
  if (spec.flag === undefined) return [text];
  return spec.style === 'joined' ? [`${spec.flag}=${text}`] : [spec.flag, text];
}

/** A sentence that says why something in the registry can't be used now. */
interface Flaw {
  readonly flaw: string;
}

function locateExecutable(script: ScriptSpec, repo: string): string | Flaw {
  const written = fullPath(script.executable);
  const path = isAbsolute(written) ? written : join(repo, written);
  const within = script.executableWithin ?? (isAbsolute(written) ? dirname(written) : repo);
  try {
    const folder = realpathSync(fullPath(within));
    const executable = realpathSync(path);
    if (!isInside(folder, executable)) {
      return {
        flaw: `The program ${script.executable} resolves to ${executable}, outside the folder ${folder} that the registry requires.`,
      };
    }
    if (!statSync(executable).isFile()) return { flaw: `${script.executable} is not a file.` };
    accessSync(executable, constants.X_OK);
    return executable;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const fix = code === 'EACCES' ? ` Make it executable: chmod +x ${path}` : '';
    return {
      flaw: `The program ${script.executable} can't be executed (${code ?? 'unknown error'}).${fix}`,
    };
  }
}

function folderAt(path: string): string | Flaw {
  try {
    const folder = realpathSync(path);
    if (statSync(folder).isDirectory()) return folder;
  } catch {
    // Reported below.
  }
  return { flaw: `The folder ${path} doesn't exist.` };
}

/** The absolute path without symlinks, as far as it exists; null when it is outside the repo. */
function resolveInside(repo: string, path: string): string | null {
  const wanted = resolve(repo, path);
  const real = realpathOfExisting(wanted);
  return real !== null && isInside(repo, real) ? real : null;
}

function realpathOfExisting(path: string): string | null {
  try {
    return realpathSync(path);
  } catch (error) {
    // A dangling or circular symlink exists, but its target is unknown, so it is refused.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || exists(path)) return null;
    const parent = dirname(path);
    const real = parent === path ? null : realpathOfExisting(parent);
    return real === null ? null : join(real, basename(path));
  }
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function isInside(folder: string, path: string): boolean {
  const rest = relative(folder, path);
  return rest === '' || (rest !== '..' && !rest.startsWith(`..${sep}`) && !isAbsolute(rest));
}

function badArg(name: string, flaw: string): Refusal {
  const sentence = `The argument "${shown(name)}" ${flaw}. Nothing was queued.`;
  return refuse(422, 'arg_not_allowed', sentence, [`args.${shown(name)}: ${flaw}`]);
}

function notAllowed(sentence: string): Refusal {
  return refuse(422, 'script_not_allowed', `${sentence} Nothing was queued.`);
}

function listed(entries: object): string {
  return shown(Object.keys(entries).join(', ')) || 'none';
}

function shown(text: string): string {
  return text.slice(0, 80);
}
