// Grants, secrets and the API token from the command line, with a running host.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
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

test('[FL-3] flags are listed and set; an unknown flag and a missing value are refused', async () => {
  expect(await succeeds('flags', ...data)).toMatch(/sandboxPreview +off/);
  expect(await succeeds('flags', 'sandboxPreview', 'on', ...data)).toMatch(/sandboxPreview +on/);
  expect(await refused('flags', 'sandboxPreview', ...data)).toContain('Nothing was changed');
  expect(await refused('flags', 'other', 'on', ...data)).toContain('other');
  expect(JSON.parse(await succeeds('flags', '--json', ...data))).toMatchObject({
    flags: [
      { name: 'sandboxPreview', isOn: true, isOnByDefault: false },
      { name: 'daemonRunIdStrict', isOn: true, isOnByDefault: true },
    ],
  });
  await succeeds('flags', 'sandboxPreview', 'off', ...data);
});

test('[AR-15] [CL-8] the time that inputs wait for a person is shown and set; a wrong one is refused', async () => {
  const shown = await succeeds('needs-human', ...data);
  expect(shown).toContain('after 1 day, and ends as timed out after 30 days if nobody acts');
  const set = await succeeds('needs-human', '--within', '14d', '--otherwise', 'failed', ...data);
  expect(set).toContain('ends as failed after 14 days');
  expect(await refused('needs-human', '--remind', '15d', ...data)).toContain('shorter');
  expect(await refused('needs-human', '--within', 'soon', ...data)).toContain('duration');
  expect(JSON.parse(await succeeds('needs-human', '--json', ...data))).toEqual({
    remind: '1d',
    within: '14d',
    otherwise: 'failed',
  });
});

test('[OH-9] limits of outside hosts are listed, set and removed; an invalid one is refused', async () => {
  expect(await succeeds('hosts', ...data)).toBe('No limits, and no calls wait for a host.\n');
  const set = await succeeds('hosts', 'limit', 'API.example.org', '--per-second', '0.5', ...data);
  expect(set).toMatch(/api\.example\.org +0\.5 +– +yes/);
  const both = ['--per-second', '2', '--concurrent', '3'];
  await succeeds('hosts', 'limit', 'api.example.org', ...both, ...data);
  expect(JSON.parse(await succeeds('hosts', '--json', ...data))).toMatchObject({
    hosts: [{ host: 'api.example.org', limit: { perSecond: 2, concurrent: 3 } }],
  });
  expect(await refused('hosts', 'limit', 'api.example.org', ...data)).toContain(
    'Nothing was changed',
  );
  expect(
    await refused('hosts', 'limit', 'https://api.example.org', '--concurrent', '1', ...data),
  ).toContain('must be one host');
  await succeeds('hosts', 'limit', 'api.example.org', '--none', ...data);
  expect(await succeeds('hosts', ...data)).toBe('No limits, and no calls wait for a host.\n');
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

test('[RU-18] a token for a caller of the runner is added, printed once, listed and removed', async () => {
  expect(await succeeds('token', 'list', ...data)).toBe('No tokens.\n');
  const token = (await succeeds('token', 'add', 'ci', ...data)).trim();
  expect(token).toMatch(/^[\w-]{43}$/);
  expect(readFileSync(join(dataDir, 'runner-tokens.json'), 'utf8')).not.toContain(token);
  expect(statSync(join(dataDir, 'runner-tokens.json')).mode & 0o777).toBe(0o600);
  expect(await succeeds('token', 'list', ...data)).toContain('ci');
  expect(await refused('token', 'add', 'ci', ...data)).toContain('There is a token "ci" already');
  for (const name of ['api', 'person', 'workflow:1', 'a b']) {
    expect(await refused('token', 'add', name, ...data)).toContain('name');
  }
  expect(await succeeds('token', 'remove', 'ci', ...data)).toBe('Removed the token "ci".\n');
  expect(await refused('token', 'remove', 'ci', ...data)).toContain('There is no token "ci"');
});
