// Pictures on the pages exist, are small enough for a slow connection, and have a text alternative.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { IN_DOCS } from '#test/e2e/screenshots/pictures.ts';

const MAX_BYTES = 150_000;
const MAX_GIF_BYTES = 2_000_000;
const PICTURE = /!\[([^\]]*)\]\(([^)]+)\)/g;

const pages = ['README.md', ...readdirSync('docs').map((name) => `docs/${name}`)].filter((name) =>
  name.endsWith('.md'),
);
const shown = pages.flatMap((page) =>
  [...readFileSync(page, 'utf8').matchAll(PICTURE)].map(([, words = '', path = '']) => ({
    words,
    file: join(dirname(page), path),
  })),
);

test('[DC-6] each picture is small and has a text alternative', () => {
  expect(shown.length).toBeGreaterThan(3);
  for (const { words, file } of shown) {
    expect(words.length, file).toBeGreaterThan(15);
    const most = file.endsWith('.gif') ? MAX_GIF_BYTES : MAX_BYTES;
    expect(statSync(file).size, file).toBeLessThan(most);
  }
});

test('[DC-6] the pages show exactly the pictures that are taken', () => {
  const taken = IN_DOCS.map((name) => `docs/images/${name}.png`).toSorted();
  expect(
    readdirSync('docs/images')
      .map((name) => `docs/images/${name}`)
      .toSorted(),
  ).toEqual(taken);
  const inImages = shown.map(({ file }) => file).filter((file) => file.endsWith('.png'));
  expect([...new Set(inImages)].toSorted()).toEqual(taken);
});
