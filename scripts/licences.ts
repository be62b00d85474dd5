// `npm run licences` writes docs/licences.md and the texts that the window must carry; --check only
// compares. Either way it fails for a licence that is unknown or does not go with ours, and for a
// package that would run a script where it is installed.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  installed,
  objection,
  withNeeds,
  type LockFile,
  type Shipped,
} from '#scripts/lib/licences.ts';

const IMPORT = /(?:from|import) ['"]((?:@[\w.-]+\/)?[\w-][\w.-]*)(?:\/[^'"]*)?['"]/g;

const root = fileURLToPath(new URL('..', import.meta.url));
const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as LockFile;

const withProgram = installed(lock);
const known = new Set(withProgram.map(({ name, version }) => `${name} ${version}`));
const inWindow = withNeeds(lock, importedByWindow());
const onlyInWindow = inWindow.filter(({ name, version }) => !known.has(`${name} ${version}`));
const carried = withNeeds(lock, ['@vlcn.io/crsqlite']).map((one) => ({
  ...one,
  // Only its sources are shipped, so its install script never runs.
  runsInstallScript: false,
}));

const flaws = [...withProgram, ...onlyInWindow, ...carried].flatMap((one) => objection(one) ?? []);
for (const flaw of flaws) console.error(flaw);
if (flaws.length > 0) process.exitCode = 1;
write('docs/licences.md', page());
write('src-renderer/public/licences.txt', texts());

function write(name: string, text: string): void {
  const file = join(root, name);
  if (!process.argv.includes('--check')) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  } else if (readFileSync(file, 'utf8') !== text) {
    console.error(`${name} is not what the lock file says. Run: npm run licences`);
    process.exitCode = 1;
  }
}

/** The packages that the sources of the window name, those of its style sheet included. */
function importedByWindow(): string[] {
  const folder = join(root, 'src-renderer');
  const names = new Set<string>();
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!/\.(?:tsx?|css)$/.test(file)) continue;
    const text = readFileSync(join(folder, file), 'utf8');
    for (const [, name = ''] of text.matchAll(IMPORT)) names.add(name);
  }
  // Ourselves, in the text of a new workflow.
  names.delete('holdfast');
  return [...names].toSorted();
}

function page(): string {
  return `# Licences

Made by \`npm run licences\` from the lock file; do not edit. Holdfast itself is under the MIT licence. What it ships of others is listed here: all of it may be used, changed and passed on with a program under that licence, and none of it runs a script when it is installed. \`npm run check\` fails when that is no longer so.

The desktop app is made of Electron (MIT), which carries the licences of Chromium and Node in its own folder. SQLite, inside better-sqlite3, is in the public domain.

## With the program

What \`npm install holdfast\` brings, and what the desktop app has in its archive.

${table(withProgram)}

## In the window

Their code is in the files of the window; the texts of their licences are in \`licences.txt\` beside it.

${table(onlyInWindow)}

## As sources

Carried by the npm package, and built where it is installed; the desktop app has what was built.

${table(carried)}
`;
}

function table(packages: readonly Shipped[]): string {
  const rows = packages.map(
    ({ name, version, licence }) => `| ${name} | ${version} | ${licence} |`,
  );
  return ['| package | version | licence |', '| --- | --- | --- |', ...rows].join('\n');
}

/** Packages with the same text share it. */
function texts(): string {
  const byText = new Map<string, string[]>();
  for (const { name, version, place } of inWindow) {
    const text = licenceText(place);
    byText.set(text, [...(byText.get(text) ?? []), `${name} ${version}`]);
  }
  const parts = [...byText].map(([text, names]) => `${names.join(', ')}\n\n${text}\n`);
  return `The window of Holdfast has code of these packages.\n\n${parts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}

function licenceText(place: string): string {
  const file = readdirSync(join(root, place)).find((name) => /^licen[cs]e(?:\.|$)/i.test(name));
  if (file !== undefined) {
    return readFileSync(join(root, place, file), 'utf8')
      .replaceAll('\r\n', '\n')
      .trim();
  }
  const { author, license } = JSON.parse(
    readFileSync(join(root, place, 'package.json'), 'utf8'),
  ) as { author?: string | { name: string }; license: string };
  const by = typeof author === 'object' ? author.name : author;
  return `${license} licence${by === undefined ? '' : `, by ${by}`}; its package has no text of it.`;
}
