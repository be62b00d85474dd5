// Grants, secrets and the API token from the command line, with a running host.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readToken } from '#main/boundary/token.ts';
import { hostForFile, refused, succeeds, type FileHost } from '#test/cli/holdfast.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-test-'));
const dataDir = join(folder, 'data');
const data = ['--data', dataDir];
let host: FileHost;

beforeAll(async () => {
  host = await hostForFile(dataDir);
});
afterAll(async () => {
  await host.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('[ST-2] [CL-2] [CL-8] grants are listed and revoked; revoking one again is refused', async () => {
  expect(await succeeds('grants', ...data)).toBe('No grants.\n');
  const file = join(folder, 'asker.ts');
  writeFileSync(
    file,
    `import { workflow } from 'holdfast';
export default workflow({
  name: 'asker', uses: { ask: {} }, topics: ['in'],
  producers: { never: { schedule: { cron: '0 0 1 1 *' }, publishes: ['in'], run() {} } },
  consumers: {},
});`,
  );
  await succeeds('add', file, ...data);
  expect(await succeeds('grants', ...data)).toMatch(/asker +ask +may ask questions/);
  expect(await succeeds('revoke', 'asker', 'ask', ...data)).toContain('Revoked ask from "asker"');
  expect(await refused('revoke', 'asker', 'ask', ...data)).toContain('has no grant for ask');
  expect(await succeeds('grants', ...data)).toMatch(/asker +ask +not granted: may ask questions/);
});

test('[ST-3] [CL-2] [CL-8] a secret is removed, and removing it again is refused', async () => {
  await host.call('secrets.set', { name: 'key', value: 'a-long-enough-value' });
  expect(await succeeds('secret', 'remove', 'key', ...data)).toBe('Removed the secret "key".\n');
  expect(await refused('secret', 'remove', 'key', ...data)).toContain('There is no secret "key".');
});

test('[ST-4] [CL-2] token rotate replaces the token without printing it; later commands work', async () => {
  const before = readToken(dataDir);
  const printed = await succeeds('token', 'rotate', ...data);
  const after = readToken(dataDir);
  expect(after).not.toBe(before);
  expect(printed).not.toContain(after);
  expect(await succeeds('secret', 'list', ...data)).toContain('No secrets');
});
