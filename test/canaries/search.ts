// Where a secret could turn up, and in which spellings.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Canary {
  readonly name: string;
  readonly value: string;
}

export interface Found {
  readonly canary: string;
  readonly where: string;
}

/** Every place that has one of them, in clear or in a spelling that anybody can read. */
export function search(
  canaries: readonly Canary[],
  places: Iterable<readonly [where: string, content: Buffer]>,
): Found[] {
  const spelled = canaries.map(({ name, value }) => ({ name, spellings: spellingsOf(value) }));
  const found: Found[] = [];
  for (const [where, content] of places) {
    for (const { name, spellings } of spelled) {
      if (spellings.some((spelling) => content.includes(spelling))) {
        found.push({ canary: name, where });
      }
    }
  }
  return found;
}

export function* filesUnder(folder: string): Generator<readonly [string, Buffer]> {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    yield [path.slice(folder.length + 1), readFileSync(path)];
  }
}

/** As it is, as base64 wherever it begins, as hex, as UTF-16, and as in an address. */
function spellingsOf(value: string): Buffer[] {
  const bytes = Buffer.from(value);
  const base64 = [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    // The letters at both ends depend on what stands beside it.
    return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
  });
  const texts = [
    value,
    encodeURIComponent(value),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
  ];
  return [...texts.map((text) => Buffer.from(text)), Buffer.from(value, 'utf16le')];
}
