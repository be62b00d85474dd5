// The registry file: read when it changes and validated as a whole. An invalid registry allows
// nothing, not what its previous version allowed.
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { refuse, type Refusal } from '#main/runner/refusal.ts';
import { parseExactJson } from '#shared/exact-json.ts';
import { registrySchema, type Registry } from '#shared/runner/registry.ts';
import { MAX_PROBLEM_LENGTH, MAX_PROBLEMS } from '#shared/limits.ts';
import { messageOf } from '#shared/message-of.ts';

const NONE: Registry = { repos: {}, scripts: {} };
const EMPTY_TEXT = `${JSON.stringify(NONE, null, 2)}\n`;

export interface RegistryRead {
  readonly path: string;
  readonly text: string;
  readonly registry: Registry | null;
  readonly problems: readonly string[];
}

export class RegistryFile {
  readonly path: string;
  readonly #onRead: (registry: Registry) => void;
  #stamp = '';
  #last: RegistryRead | undefined;

  /** `onRead` is called with every valid registry. */
  constructor(path: string, onRead: (registry: Registry) => void) {
    this.path = path;
    this.#onRead = onRead;
  }

  read(): RegistryRead {
    const stamp = stampOf(this.path);
    if (this.#last && stamp === this.#stamp) return this.#last;
    const last = { path: this.path, ...readAt(this.path) };
    this.#last = last;
    this.#stamp = stamp;
    if (last.registry) this.#onRead(last.registry);
    return last;
  }

  require(): Registry | Refusal {
    const { registry, problems } = this.read();
    if (registry) return registry;
    return refuse(
      409,
      'registry_broken',
      `The registry ${this.path} is invalid: ${problems.slice(0, 3).join('; ')}. No script runs until it is corrected.`,
      problems,
    );
  }

  /** Writes only a valid registry. */
  save(text: string): RegistryRead {
    const checked = parse(text);
    if (!checked.registry) return { path: this.path, ...checked };
    const fresh = `${this.path}.new`;
    writeFileSync(fresh, text, { mode: 0o600 });
    renameSync(fresh, this.path);
    this.#stamp = '';
    this.#last = undefined;
    return this.read();
  }
}

/** Expands `~/` to the user's home folder. */
export function fullPath(path: string): string {
  return path.startsWith('~/') ? join(homedir(), path.slice(2)) : path;
}

function parse(text: string): Omit<RegistryRead, 'path'> {
  let value: unknown;
  try {
    value = parseExactJson(text);
  } catch (error) {
    return { text, registry: null, problems: [`not valid JSON: ${messageOf(error)}`] };
  }
  const parsed = registrySchema.safeParse(value);
  if (parsed.success) return { text, registry: parsed.data, problems: [] };
  const problems = parsed.error.issues
    .slice(0, MAX_PROBLEMS)
    .map(({ path, message }) =>
      `${path.map(String).join('.') || 'registry'}: ${message}`.slice(0, MAX_PROBLEM_LENGTH),
    );
  return { text, registry: null, problems };
}

/** Changes with every write: the modification time alone is too coarse for two writes in a row. */
function stampOf(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat ? `${stat.ino}.${stat.mtimeNs}.${stat.ctimeNs}.${stat.size}` : 'none';
}

function readAt(path: string): Omit<RegistryRead, 'path'> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    // A missing file is an empty registry; an unreadable one is invalid.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return parse(EMPTY_TEXT);
    return { text: '', registry: null, problems: [`can't be read: ${messageOf(error)}`] };
  }
  return parse(text);
}
