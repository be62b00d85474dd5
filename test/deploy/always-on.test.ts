// The systemd unit and the container file of an always-on device: runs the commands they contain.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { readToken } from '#main/boundary/token.ts';
import { ensureBuilt } from '#scripts/lib/build.mjs';
import { isFolderLocked, readHostRecord } from '#main/data-folder/folder-lock.ts';
import { eventually } from '#test/support/eventually.ts';
import { callOver } from '#test/support/http-client.ts';
import { exitOf, startNode } from '#test/support/child-processes.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

const unit = readFileSync('deploy/holdfast.service', 'utf8');
const containerfile = readFileSync('deploy/Containerfile', 'utf8');

const settings = new Map(
  unit
    .split('\n')
    .filter((line) => /^[A-Za-z]+=/.test(line))
    .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
);

const [, , program, ...serviceArgs] = (settings.get('ExecStart') ?? '').split(' ');
const containerArgs = JSON.parse(/^CMD (\[.*\])$/m.exec(containerfile)?.[1] ?? '[]') as string[];
const hasAnalyze = spawnSync('systemd-analyze', ['--version']).status === 0;

// The installation builds the window first.
beforeAll(() => ensureBuilt());

/** Asserts that the API responds, nothing is printed, and SIGTERM ends it with 0. */
async function expectService(
  dataDir: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<void> {
  const child = startNode('bin/holdfast.mjs', args, {
    HOLDFAST_LINK_HOST: '127.0.0.1',
    HOLDFAST_LINK_PORT: '0',
    ...env,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  }
  const url = await eventually(() => {
    const record = readHostRecord(dataDir);
    if (record?.url === undefined) throw new Error('The host is not ready yet.');
    return record.url;
  });
  const place = { url, token: readToken(dataDir) as string };
  expect(await callOver(place, 'host.info', {})).toMatchObject({ ok: true, output: { dataDir } });
  const ended = exitOf(child);
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
  expect(output).toBe('');
  expect(isFolderLocked(dataDir)).toBe(false);
}

describe('an always-on device', () => {
  it('[DS-10] the unit starts a host that prints nothing and stops cleanly', async () => {
    const dataDir = tempFolder();
    expect(program).toBe('/opt/holdfast/bin/holdfast.mjs');
    expect(serviceArgs).toContain('--quiet');
    await expectService(
      dataDir,
      serviceArgs.map((arg) => (arg === '${STATE_DIRECTORY}' ? dataDir : arg)),
    );
  });

  it('[DS-10] the container file starts such a host as user node, with its data in a volume', async () => {
    const dataDir = tempFolder();
    expect(/^VOLUME (.*)$/m.exec(containerfile)?.[1]).toBe('/data');
    expect(containerfile).toContain('ENV HOLDFAST_DATA=/data');
    expect(containerfile).toMatch(/^USER node$/m);
    for (const [, file] of containerfile.matchAll(/from '\.\/(\S+)'/g)) {
      expect(existsSync(file as string)).toBe(true);
    }
    await expectService(dataDir, containerArgs, { HOLDFAST_DATA: dataDir });
  });

  it('[DS-10] the unit restricts user, privileges, file system and umask', () => {
    expect(Object.fromEntries(settings)).toMatchObject({
      DynamicUser: 'yes',
      NoNewPrivileges: 'yes',
      CapabilityBoundingSet: '',
      ProtectSystem: 'strict',
      ProtectHome: 'yes',
      UMask: '0077',
      // The command forwards signals, so each process must get one, not two.
      KillMode: 'mixed',
    });
  });

  it.skipIf(!hasAnalyze)(
    `[DS-10] systemd-analyze verifies the unit with an exposure below its threshold${hasAnalyze ? '' : ' (not run: no systemd-analyze)'}`,
    () => {
      const path = join(tempFolder(), 'holdfast.service');
      writeFileSync(path, unit);
      const verified = spawnSync('systemd-analyze', ['verify', '--man=no', path], {
        encoding: 'utf8',
      });
      expect(verified.stderr).toBe('');
      expect(verified.status).toBe(0);
      const threshold = ['security', '--offline=true', '--threshold=20', path];
      const security = spawnSync('systemd-analyze', threshold, { encoding: 'utf8' });
      expect(security.stdout).toMatch(/Overall exposure level .*: \d/);
      expect(security.status).toBe(0);
    },
  );
});
