// `holdfast doctor`
import { createHash } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { ensureToken, tokenPath } from '#main/boundary/token.ts';
import { createHost } from '#main/host/host.ts';
import { createNetworkIsolation } from '#main/runner/network-isolation.ts';
import { createSilentLog } from '#main/host/log.ts';
import { DATABASE_FILE } from '#main/data-folder/data-folder.ts';
import { runNode, type Ended } from '#test/support/child-processes.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

function doctor(dataDir: string, ...args: readonly string[]): Promise<Ended> {
  return runNode('bin/holdfast.mjs', ['doctor', '--data', dataDir, ...args]);
}

/** A data folder that a host has used and closed. */
async function usedFolder(): Promise<string> {
  const dataDir = tempFolder();
  const host = createHost({ dataDir, createLog: createSilentLog });
  host.stores.workflows.create('workflow-1', { name: 'Kept', scriptId: null });
  ensureToken(dataDir);
  await host.close();
  return dataDir;
}

function hashOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

/** The line of one check. */
function line({ stdout }: Ended, check: string): string {
  return stdout.split('\n').find((text) => text.slice(2).startsWith(check)) ?? '';
}

test('[CL-1] a valid folder: no problems, exit code 0, database unchanged', async () => {
  const dataDir = await usedFolder();
  const database = join(dataDir, DATABASE_FILE);
  const before = hashOf(database);
  const ended = await doctor(dataDir);
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect(ended.stdout.trimEnd()).toMatch(/No problems found\.$/);
  expect(ended.stdout).not.toContain('✗');
  expect(line(ended, 'window')).toMatch(/^✓ window\s+built$/);
  expect(line(ended, 'cr-sqlite')).toMatch(
    /^✓ .*(?:built from source|upstream release|own file).*, sha256 [0-9a-f]{64}; merge test passed$/,
  );
  expect(line(ended, 'database')).toMatch(/^✓ .*integrity check passed$/);
  expect(line(ended, 'host')).toMatch(/^– .*not running/);
  expect(hashOf(database)).toBe(before);
});

test('[CL-1] a missing folder is a note, exit code 0, and is not created', async () => {
  const dataDir = join(tempFolder(), 'later');
  const ended = await doctor(dataDir);
  expect(ended.code).toBe(0);
  expect(line(ended, 'data folder')).toMatch(/^– .*does not exist yet/);
  expect(existsSync(dataDir)).toBe(false);
});

test('[CL-1] [EG-7] --json prints all findings with a state and a text', async () => {
  const dataDir = await usedFolder();
  chmodSync(tokenPath(dataDir), 0o644);
  const ended = await doctor(dataDir, '--json');
  expect(ended.code).toBe(1);
  const { findings } = JSON.parse(ended.stdout) as {
    findings: { what: string; state: string; says: string }[];
  };
  expect(findings.filter(({ state }) => state === 'wrong').map(({ what }) => what)).toEqual([
    'token',
  ]);
  expect(findings.map(({ what }) => what)).toEqual(
    expect.arrayContaining([
      'Node',
      'cr-sqlite',
      'window',
      'data folder',
      'host',
      'database',
      'scripts without network',
      'token',
    ]),
  );
  for (const { says } of findings) expect(says).not.toBe('');
  const isolation = findings.find(({ what }) => what === 'scripts without network');
  const why = await createNetworkIsolation().check();
  expect(isolation?.says).toContain(why ?? 'can be enforced');
});

test('[RU-17] a script whose program can’t be executed and a missing folder are problems', async () => {
  const dataDir = await usedFolder();
  const script = { title: 'T', executable: 'gone.sh', repos: ['here'] };
  const repos = { here: { path: dataDir }, gone: { path: '/nowhere/at/all' } };
  writeFileSync(join(dataDir, 'runner.json'), JSON.stringify({ repos, scripts: { a: script } }));
  const ended = await doctor(dataDir);
  expect(ended.code).toBe(1);
  expect(line(ended, 'runner scripts')).toMatch(
    /^✗ .*The repo "gone" can't be used: .* The script "a" can't run: .*ENOENT/,
  );
});

test('[CL-1] a token that others can read is a problem, with the chmod that fixes it', async () => {
  const dataDir = await usedFolder();
  chmodSync(tokenPath(dataDir), 0o640);
  const ended = await doctor(dataDir);
  expect(ended.code).toBe(1);
  expect(line(ended, 'token')).toMatch(/^✗ .*other users can read .*chmod 600/);
  expect(ended.stdout).toContain('1 problem found.');
  expect(statSync(tokenPath(dataDir)).mode & 0o777).toBe(0o640);
});

test('[CL-1] a token file without a token is a problem, and its content is not shown', async () => {
  const dataDir = await usedFolder();
  writeFileSync(tokenPath(dataDir), 'hunter2');
  const ended = await doctor(dataDir);
  expect(ended.code).toBe(1);
  expect(line(ended, 'token')).toMatch(/^✗ .*does not contain a token\. Delete it\./);
  expect(ended.stdout).not.toContain('hunter2');
});

test('[CL-1] a file that is not a database is reported as damaged and not changed', async () => {
  const dataDir = await usedFolder();
  const database = join(dataDir, DATABASE_FILE);
  writeFileSync(database, 'this is not a database, and long enough to be looked at'.repeat(100));
  const before = hashOf(database);
  const ended = await doctor(dataDir);
  expect(ended.code).toBe(1);
  expect(line(ended, 'database')).toMatch(/^✗ .*damaged.*The next start saves a copy/);
  expect(hashOf(database)).toBe(before);
});

test('[CL-1] damage in the middle of a database is found', async () => {
  const dataDir = await usedFolder();
  const database = join(dataDir, DATABASE_FILE);
  const file = openSync(database, 'r+');
  for (let page = 8; page < 60; page += 1)
    writeSync(file, Buffer.alloc(2000, 0xa5), 0, 2000, page * 4096 + 8);
  closeSync(file);
  const ended = await doctor(dataDir);
  expect(ended.code).toBe(1);
  expect(line(ended, 'database')).toMatch(/^✗ .*damaged/);
});

test('[CL-1] a database of a newer Holdfast is a problem, with both versions', async () => {
  const dataDir = await usedFolder();
  const sqlite = new SQLite(join(dataDir, DATABASE_FILE));
  const known = Number(sqlite.pragma('user_version', { simple: true }));
  sqlite.pragma('user_version = 999');
  sqlite.close();
  const ended = await doctor(dataDir);
  expect(ended.code).toBe(1);
  expect(line(ended, 'database')).toContain('999');
  expect(line(ended, 'database')).toMatch(
    new RegExp(`^✗ .*newer Holdfast \\(this one supports ${known}\\)\\. Install the newer`),
  );
});

test('[CL-1] without cr-sqlite its problem is reported and the other checks still run', async () => {
  const args = ['doctor', '--data', await usedFolder()];
  const problem = { HOLDFAST_CRSQLITE_PROBLEM: 'no compiler here.' };
  const ended = await runNode('bin/holdfast.mjs', args, problem);
  expect(ended.code).toBe(1);
  expect(line(ended, 'cr-sqlite')).toMatch(/^✗ .*no compiler here\.$/);
  expect(line(ended, 'database')).toMatch(/^✓/);
});
