// JSON text from outside is read by src-shared/exact-json.ts only. JSON.parse would change large numbers.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** Files and folders that read JSON text which Holdfast itself wrote. */
const OWN_TEXT: { readonly [path: string]: string } = {
  'src-main/boundary/runner-tokens.ts': 'runner-tokens.json',
  'src-main/api/transport/idempotency-keys.ts': 'stored answers',
  'src-main/api/views/host-versions.ts': 'our package.json',
  'src-main/api/views/input-views.ts': 'artifacts',
  'src-main/cli/host-client.ts': 'answers of the host',
  'src-main/data-folder/folder-lock.ts': 'host.json',
  'src-main/data-folder/high-water-mark.ts': 'the high-water mark',
  'src-main/input-lifecycle/policies.ts': 'policy artifacts, checked by hash and schema',
  'src-main/platform/app-version.ts': 'our package.json',
  'src-main/practice/sample.ts': 'answers of the practice service',
  'src-main/sandbox/host-calls.ts': 'JSON.stringify in the realm',
  'src-main/sandbox/thread/log-buffer.ts': 'JSON.stringify in the realm',
  'src-main/sandbox/thread/phase.ts': 'JSON.stringify in the realm',
  'src-main/secrets/secret-file.ts': 'secrets.json',
  'src-main/store/': 'rows, which are checked when they are merged or imported',
  'src-main/sync/device-identity.ts': 'the key files',
  'src-main/testing/test-hook.ts': 'answers of the hook',
  'src-main/upkeep/archive-file.ts': 'archived rows',
  'src-main/upkeep/restore.ts': 'a row of the backup',
  'src-renderer/client/': 'answers and feed of the host',
  'src-renderer/editor/unsaved-changes.ts': 'local storage',
  'src-renderer/inbox/use-card-commands.ts': 'attributes of the page',
  'src-renderer/shell/preferences.ts': 'local storage',
};

/** Files that parse outside text for something other than its numbers. */
const NO_VALUES: { readonly [path: string]: string } = {
  'src-main/inputs/dedup-key.ts': 'whether a number or a text was sent',
  'src-main/sync/changes/check-value.ts': 'whether it is JSON',
  'src-shared/exact-json.ts': 'the parser itself',
  'src-shared/inputs/json-path.ts': 'a quoted name',
};

// Comments may name it.
const PARSES = /^(?!\s*(?:\/\/|\/?\*)).*(?:\bJSON\.parse\b|\bresponse\.json\(|\breply\.json\()/m;

const sources = ['src-main', 'src-renderer', 'src-shared'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => join(folder, file).replaceAll('\\', '/'))
    .filter((file) => /\.tsx?$/.test(file)),
);

test('[NU-4] only known files read JSON without keeping its numbers', () => {
  const known = Object.keys({ ...OWN_TEXT, ...NO_VALUES });
  const parsing = sources.filter((file) => PARSES.test(readFileSync(file, 'utf8')));
  const isKnown = (file: string): boolean => known.some((path) => file.startsWith(path));
  expect(parsing.filter((file) => !isKnown(file))).toEqual([]);
  expect(known.filter((path) => !parsing.some((file) => file.startsWith(path)))).toEqual([]);
});

test('[NU-4] a call of JSON.parse is found, and a comment about it is not', () => {
  expect(PARSES.test('const value = JSON.parse(text);')).toBe(true);
  expect(PARSES.test('const { parse } = JSON; JSON.parse')).toBe(true);
  expect(PARSES.test('  return (await response.json()) as Json;')).toBe(true);
  expect(PARSES.test('// For text that `JSON.parse` rejected.')).toBe(false);
  expect(PARSES.test('/** Throws like `JSON.parse`. */')).toBe(false);
});
