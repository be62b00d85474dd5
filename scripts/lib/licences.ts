// What we ship of others, from the lock file: the packages that come with the program, those whose
// code is in the window, and what each may be used under.

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
  /** Where it lies, for the text of its licence. */
  readonly place: string;
  readonly hasInstallScript: boolean;
}

/** Any of them goes with a program under the MIT licence, in source and in binary form. */
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

/** What stands in their package.json and is no name of a licence, with what their text says. */
const MEANT: { readonly [name: string]: string } = {
  '@vlcn.io/crsqlite': 'MIT',
};

/** What `npm install holdfast` brings. */
export function installed({ packages }: LockFile): Shipped[] {
  const places = Object.entries(packages).filter(([place, { dev }]) => place !== '' && !dev);
  return inOrder(places.map(([place]) => shipped(packages, place)));
}

/** These packages, and all that they need. */
export function withNeeds({ packages }: LockFile, names: readonly string[]): Shipped[] {
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

/** As Node looks for it: beside, then further up. */
function resolve(packages: LockFile['packages'], from: string, name: string): string {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const place = `${at === '' ? '' : `${at}/`}node_modules/${name}`;
    if (packages[place]) return place;
    if (at === '') throw new Error(`The lock file does not have ${name}, which ${from} needs.`);
  }
}

function shipped(packages: LockFile['packages'], place: string): Shipped {
  const { version = '', license = '', hasInstallScript = false } = packages[place] ?? {};
  const name = place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
  return { name, version, licence: MEANT[name] ?? license, place, hasInstallScript };
}

function inOrder(all: Shipped[]): Shipped[] {
  const unique = new Map(all.map((one) => [`${one.name} ${one.version}`, one]));
  return [...unique.values()].toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** Of several to choose from one is enough; of several together all must be allowed. */
export function isAllowed(licence: string): boolean {
  const bare = licence.replace(/^\((.*)\)$/, '$1');
  if (/[()]/.test(bare)) return false;
  return bare
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((name) => ALLOWED.includes(name)));
}

/** Why one may not be shipped; undefined: it may. */
export function objection({ name, licence, hasInstallScript }: Shipped): string | undefined {
  if (!isAllowed(licence))
    return `${name}: "${licence || 'no licence'}" is not one that we may ship`;
  if (hasInstallScript) return `${name} wants to run a script when it is installed`;
  return undefined;
}
