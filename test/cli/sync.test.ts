import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createHost } from '#main/host/host.ts';
import { createSilentLog } from '#main/host/log.ts';
import { openSecretStore } from '#main/secrets/secret-store.ts';
import { createMasker } from '#main/secrets/masker.ts';
import { saveSpaceKey } from '#main/sync/space-key.ts';
import { holdfast, succeeds } from '#test/cli/holdfast.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

/** Two data folders with the same space and key, as paired devices have them. */
async function twoOfOneSpace(): Promise<[string, string]> {
  const folders: [string, string] = [tempFolder(), tempFolder()];
  for (const dataDir of folders) {
    const host = createHost({ dataDir, createLog: createSilentLog, runsWorkflows: false });
    host.stores.settings.set('space_id', 'one-space');
    await host.close();
    const secrets = openSecretStore({ dataDir, masker: createMasker() });
    await saveSpaceKey(secrets, Buffer.alloc(32, 5));
  }
  return folders;
}

describe('holdfast sync', () => {
  it('[FO-1] transfers a workflow between two data folders without a running host', async () => {
    const [one, other] = await twoOfOneSpace();
    const dir = tempFolder();
    const create = JSON.stringify({ requestId: 'r', name: 'Carried over' });
    await succeeds('call', 'workflows.create', create, '--data', one);
    for (const data of [one, other]) await succeeds('sync', '--folder', dir, '--data', data);
    expect(await succeeds('list', '--data', other)).toContain('Carried over');
    const report = await succeeds('sync', '--folder', dir, '--data', one, '--json');
    expect(JSON.parse(report)).toMatchObject({ problems: [], devices: [expect.any(String)] });
  });

  it('[CL-8] exits with 1 and says so if the files of a device are damaged', async () => {
    const [one, other] = await twoOfOneSpace();
    const dir = tempFolder();
    await succeeds('sync', '--folder', dir, '--data', one);
    for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
      if (entry.name === 'state') writeFileSync(join(entry.parentPath, entry.name), 'damaged');
    }
    const { code, stderr } = await holdfast('sync', '--folder', dir, '--data', other);
    expect(code).toBe(1);
    expect(stderr).toContain('is damaged, so nothing of that device was read');
  });

  it('[FO-2] does not create a missing folder', async () => {
    const parent = tempFolder();
    const { code, stderr } = await holdfast(
      'sync',
      '--folder',
      join(parent, 'stick'),
      '--data',
      tempFolder(),
    );
    expect(code).toBe(1);
    expect(stderr).toContain('There is no folder');
    expect(readdirSync(parent)).toEqual([]);
    mkdirSync(join(parent, 'stick'));
    await succeeds('sync', '--folder', join(parent, 'stick'), '--data', tempFolder());
    expect(readdirSync(join(parent, 'stick'))).toHaveLength(1);
  });
});
