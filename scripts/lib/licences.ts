// Third-party packages we ship, read from the lock file: those installed with the program, those
// bundled into the window, the licence of each, and whether it runs a script when installed.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface LockEntry {
  readonly version?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
  readonly dependencies?: { readonly [name: string]: string };
}

export interface LockFile {
  readonly packages: { readonly [place: string]: LockEntry };
}

export interface Shipped {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  /** Folder below the repository root; the licence text is read from there. */
  readonly place: string;
  readonly runsInstallScript: boolean;
}

/** Licences compatible with ours (MIT), in source and in binary form. */
const ALLOWED = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Python-2.0',
  'Unlicense',
  'Zlib',
];

/** Packages whose package.json has no SPDX name; the value is the licence of their LICENSE file. */
const WITHOUT_SPDX_NAME: { readonly [name: string]: string } = {
  '@vlcn.io/crsqlite': 'MIT',
};

/** The packages that `npm install holdfast` installs. */
export function installed({ packages }: LockFile): Shipped[] {
  const places = Object.entries(packages).filter(([place, { dev }]) => place !== '' && !dev);
  return inOrder(places.map(([place]) => shipped(packages, place)));
}

/** These packages and their transitive dependencies. */
export function withDependencies({ packages }: LockFile, names: readonly string[]): Shipped[] {
  const found = new Set<string>();
  const visit = (place: string): void => {
    if (found.has(place)) return;
    found.add(place);
    for (const name of Object.keys(packages[place]?.dependencies ?? {})) {
      visit(resolve(packages, place, name));
    }
  };
  for (const name of names) visit(resolve(packages, '', name));
  return inOrder([...found].map((place) => shipped(packages, place)));
}

/** Node's module resolution: the package's own node_modules first, then each one above it. */
function resolve(packages: LockFile['packages'], from: string, name: string): string {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const place = `${at === '' ? '' : `${at}/`}node_modules/${name}`;
    if (packages[place]) return place;
    if (at === '')
      throw new Error(
        `package-lock.json has no ${name}, which ${from || 'package.json'} depends on.`,
      );
  }
}

function shipped(packages: LockFile['packages'], place: string): Shipped {
  const { version = '', license = '', hasInstallScript = false } = packages[place] ?? {};
  const name = place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const runsInstallScript = hasInstallScript && npmRunsScript(join(ROOT, place));
  return { name, version, licence: WITHOUT_SPDX_NAME[name] ?? license, place, runsInstallScript };
}

/**
 * Whether `npm install` would run code of the package in this folder. The lock file's
 * `hasInstallScript` is not enough: npm also sets it for a package with a binding.gyp that opts
 * out of the implicit build with `"gypfile": false`.
 */
export function npmRunsScript(folder: string): boolean {
  const file = join(folder, 'package.json');
  // Not installed here (a package for another platform): assume that the flag is right.
  if (!existsSync(file)) return true;
  const { scripts = {}, gypfile } = JSON.parse(readFileSync(file, 'utf8')) as {
    scripts?: { [name: string]: string };
    gypfile?: boolean;
  };
  if (scripts['preinstall'] ?? scripts['install'] ?? scripts['postinstall']) return true;
  return gypfile !== false && existsSync(join(folder, 'binding.gyp'));
}

function inOrder(all: Shipped[]): Shipped[] {
  const unique = new Map(all.map((one) => [`${one.name} ${one.version}`, one]));
  return [...unique.values()].toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** `OR` needs one allowed licence, `AND` needs all of them. */
export function isAllowed(licence: string): boolean {
  const bare = licence.replace(/^\((.*)\)$/, '$1');
  if (/[()]/.test(bare)) return false;
  return bare
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((name) => ALLOWED.includes(name)));
}

/** Why a package may not be shipped, or undefined if it may. */
export function objection({ name, licence, runsInstallScript }: Shipped): string | undefined {
  if (!isAllowed(licence))
    return `${name}: "${licence || 'no licence'}" is not a licence we may ship`;
  if (runsInstallScript) return `${name} runs a script when it is installed`;
  return undefined;
}
