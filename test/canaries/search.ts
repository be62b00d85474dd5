// Searches files and texts for secrets, in plain text and in common encodings.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readOpenFile } from '#test/support/read-open-file.ts';

export interface Canary {
  readonly name: string;
  readonly value: string;
}

export interface Found {
  readonly canary: string;
  readonly where: string;
}

/** Every place that contains one of the canaries, in plain text or encoded. */
export function search(
  canaries: readonly Canary[],
  places: Iterable<readonly [where: string, content: Buffer]>,
): Found[] {
  const encoded = canaries.map(({ name, value }) => ({ name, encodings: encodingsOf(value) }));
  const found: Found[] = [];
  for (const [where, content] of places) {
    for (const { name, encodings } of encoded) {
      if (encodings.some((encoding) => content.includes(encoding))) {
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
    yield [path.slice(folder.length + 1), readOpenFile(path)];
  }
}

/** Plain, percent-encoded, base64 at each of the three alignments, hex and UTF-16. */
function encodingsOf(value: string): Buffer[] {
  const bytes = Buffer.from(value);
  const base64 = [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    // The characters at both ends depend on the adjacent bytes.
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
