// `holdfast doctor`, as a person runs it.
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
import { createSilentLog } from '#main/host/log.ts';
import { DATABASE_FILE } from '#main/data-folder/data-folder.ts';
import { runNode, type Ended } from '#test/support/child-processes.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

function doctor(dataDir: string, ...args: readonly string[]): Promise<Ended> {
  return runNode('bin/holdfast.mjs', ['doctor', '--data', dataDir, ...args]);
}

/** A folder that a host has used and left. */
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

/** The line of the report about one thing. */
function line({ stdout }: Ended, what: string): string {
  return stdout.split('\n').find((text) => text.slice(2).startsWith(what)) ?? '';
}

test('[CL-1] a sound folder: nothing is wrong, exit code 0, nothing changed', async () => {
  const dataDir = await usedFolder();
  const database = join(dataDir, DATABASE_FILE);
  const before = hashOf(database);
  const ended = await doctor(dataDir);
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect(ended.stdout.trimEnd()).toMatch(/Nothing is wrong\.$/);
  expect(ended.stdout).not.toContain('✗');
  expect(line(ended, 'window')).toMatch(/^✓ window\s+built$/);
  expect(line(ended, 'cr-sqlite')).toMatch(
    /^✓ .*(?:built from source|upstream release|own file).*, sha256 [0-9a-f]{64}; two databases merge$/,
  );
  expect(line(ended, 'database')).toMatch(/^✓ .*sound$/);
  expect(line(ended, 'host')).toMatch(/^– .*none is running/);
  expect(hashOf(database)).toBe(before);
});

test('[CL-1] a folder that is not there yet is no fault, and is not made', async () => {
  const dataDir = join(tempFolder(), 'later');
  const ended = await doctor(dataDir);
  expect(ended.code).toBe(0);
  expect(line(ended, 'data folder')).toMatch(/^– .*does not exist yet/);
  expect(existsSync(dataDir)).toBe(false);
});

test('[CL-1] --json gives the findings to a program', async () => {
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
      'token',
    ]),
  );
  for (const { says } of findings) expect(says).not.toBe('');
});

test('[CL-1] a token that others can read is wrong, with the command that mends it', async () => {
  const dataDir = await usedFolder();
  chmodSync(tokenPath(dataDir), 0o640);
  const ended = await doctor(dataDir);
  expect(ended.code).toBe(1);
  expect(line(ended, 'token')).toMatch(/^✗ .*others can read .*chmod 600/);
  expect(ended.stdout).toContain('1 thing is wrong.');
  expect(statSync(tokenPath(dataDir)).mode & 0o777).toBe(0o640);
});

test('[CL-1] a file that is no token is wrong, and is not shown', async () => {
  const dataDir = await usedFolder();
  writeFileSync(tokenPath(dataDir), 'hunter2');
  const ended = await doctor(dataDir);
  expect(ended.code).toBe(1);
  expect(line(ended, 'token')).toMatch(/^✗ .*is not a token\. Remove it\./);
  expect(ended.stdout).not.toContain('hunter2');
});

test('[CL-1] a database that is none is damaged, named, and left alone', async () => {
  const dataDir = await usedFolder();
  const database = join(dataDir, DATABASE_FILE);
  writeFileSync(database, 'this is not a database, and long enough to be looked at'.repeat(100));
  const before = hashOf(database);
  const ended = await doctor(dataDir);
  expect(ended.code).toBe(1);
  expect(line(ended, 'database')).toMatch(/^✗ .*damaged.*The next start keeps it aside/);
  expect(hashOf(database)).toBe(before);
});

test('[CL-1] damage in the middle of a database is found, too', async () => {
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

test('[CL-1] a database from the future is wrong, with both versions', async () => {
  const dataDir = await usedFolder();
  const sqlite = new SQLite(join(dataDir, DATABASE_FILE));
  const known = Number(sqlite.pragma('user_version', { simple: true }));
  sqlite.pragma('user_version = 999');
  sqlite.close();
  const ended = await doctor(dataDir);
  expect(ended.code).toBe(1);
  expect(line(ended, 'database')).toContain('999');
  expect(line(ended, 'database')).toMatch(
    new RegExp(`^✗ .*newer Holdfast \\(this one knows ${known}\\)\\. Install that\\.`),
  );
});

test('[CL-1] a machine without cr-sqlite is told so, and the rest is looked at all the same', async () => {
  const args = ['doctor', '--data', await usedFolder()];
  const problem = { HOLDFAST_CRSQLITE_PROBLEM: 'no compiler here.' };
  const ended = await runNode('bin/holdfast.mjs', args, problem);
  expect(ended.code).toBe(1);
  expect(line(ended, 'cr-sqlite')).toMatch(/^✗ .*no compiler here\.$/);
  expect(line(ended, 'database')).toMatch(/^✓/);
});
