// What the desktop packages are made from. That they work is tried by `npm run package-smoke`.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { crsqlitePath } from '#main/store/sqlite/crsqlite-path.ts';

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47]);
const config = readFileSync('electron-builder.yml', 'utf8');

it('[PK-2] native code lies outside the archive, where the app looks for it', () => {
  expect(config).toMatch(/asarUnpack:\n {2}- node_modules\/better-sqlite3\/\*\*/);
  expect(config).toMatch(/from: \.cache\/crsqlite\n {4}to: crsqlite/);
  // As in a package: the built code in an archive, the extension beside it.
  expect(dirname(crsqlitePath('/opt/Holdfast/resources/app.asar'))).toBe(
    join('/opt/Holdfast/resources/crsqlite'),
  );
});

it('[PK-2] has no update feed, keeps the data folder on uninstall, and does not run as Node', () => {
  expect(config).toMatch(/^publish: null$/m);
  expect(config).toMatch(/deleteAppDataOnUninstall: false/);
  expect(config).toMatch(/runAsNode: false/);
});

it('[PK-2] icons of every size, each a PNG', () => {
  for (const size of [16, 32, 48, 64, 128, 256, 512]) {
    const png = readFileSync(`build/icons/${size}x${size}.png`);
    expect(png.subarray(0, 4)).toEqual(PNG);
    expect(png.readUInt32BE(16)).toBe(size);
  }
  const ico = readFileSync('build/icon.ico');
  for (let entry = 0; entry < ico.readUInt16LE(4); entry += 1) {
    const at = ico.readUInt32LE(6 + entry * 16 + 12);
    expect(ico.subarray(at, at + 4)).toEqual(PNG);
  }
  const icns = readFileSync('build/icon.icns');
  expect(icns.readUInt32BE(4)).toBe(icns.length);
  for (let at = 8; at < icns.length; at += icns.readUInt32BE(at + 4)) {
    expect(icns.subarray(at + 8, at + 12)).toEqual(PNG);
  }
});
