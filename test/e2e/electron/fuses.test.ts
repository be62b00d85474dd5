// Sets the fuses of electron-builder.yml in a copy of the Electron binary that the tests use.
import { execFileSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  flipFuses,
  FuseState,
  FuseV1Options,
  FuseVersion,
  getCurrentFuseWire,
} from '@electron/fuses';
import { describe, expect, test } from 'vitest';
import { electronExecutable, electronTitle, noElectron } from '#test/support/electron-app.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

/** Fuses by their name in electron-builder. */
const NAMES: { readonly [name: string]: FuseV1Options } = {
  runAsNode: FuseV1Options.RunAsNode,
  enableCookieEncryption: FuseV1Options.EnableCookieEncryption,
  enableNodeOptionsEnvironmentVariable: FuseV1Options.EnableNodeOptionsEnvironmentVariable,
  enableNodeCliInspectArguments: FuseV1Options.EnableNodeCliInspectArguments,
  enableEmbeddedAsarIntegrityValidation: FuseV1Options.EnableEmbeddedAsarIntegrityValidation,
  onlyLoadAppFromAsar: FuseV1Options.OnlyLoadAppFromAsar,
  loadBrowserProcessSpecificV8Snapshot: FuseV1Options.LoadBrowserProcessSpecificV8Snapshot,
  grantFileProtocolExtraPrivileges: FuseV1Options.GrantFileProtocolExtraPrivileges,
};

function wantedFuses(): [fuse: FuseV1Options, isOn: boolean][] {
  const text = readFileSync(join(import.meta.dirname, '../../../electron-builder.yml'), 'utf8');
  const block = /^electronFuses:\n((?: {2}\w+: \w+\n)+)/m.exec(text)?.[1] ?? '';
  return [...block.matchAll(/^ {2}(\w+): (true|false)$/gm)].map(([, name = '', value]) => {
    const fuse = NAMES[name];
    if (fuse === undefined) throw new Error(`Unknown fuse "${name}".`);
    return [fuse, value === 'true'];
  });
}

/** Copies the binary; the files beside it are symlinks. */
function copyElectron(): string {
  const [from, to] = [dirname(electronExecutable()), tempFolder()];
  for (const name of readdirSync(from)) {
    if (name !== 'electron') symlinkSync(join(from, name), join(to, name));
  }
  copyFileSync(electronExecutable(), join(to, 'electron'));
  return join(to, 'electron');
}

const startAsNode = (program: string): string =>
  execFileSync(program, ['-p', '1 + 1'], {
    env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    // An error dialog would wait for a person.
    timeout: 20_000,
    killSignal: 'SIGKILL',
  }).trim();

describe.skipIf(noElectron !== undefined)(electronTitle('the fuses'), () => {
  test('[SH-11] match electron-builder.yml, and the binary no longer runs as Node', async () => {
    const wanted = wantedFuses();
    expect(new Set(wanted.map(([fuse]) => fuse))).toEqual(new Set(Object.values(NAMES)));
    const program = copyElectron();
    expect(startAsNode(program)).toBe('2');
    await flipFuses(program, { version: FuseVersion.V1, ...Object.fromEntries(wanted) });
    const wire = await getCurrentFuseWire(program);
    for (const [fuse, isOn] of wanted) {
      expect(wire[fuse], FuseV1Options[fuse]).toBe(isOn ? FuseState.ENABLE : FuseState.DISABLE);
    }
    expect(wanted).toContainEqual([FuseV1Options.RunAsNode, false]);
    expect(wanted).toContainEqual([FuseV1Options.OnlyLoadAppFromAsar, true]);
    // Without run-as-node, Electron looks for an app archive and finds none.
    expect(() => startAsNode(program)).toThrow();
  });
});
