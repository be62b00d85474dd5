// The configuration and icons of the desktop packages. `npm run package-smoke` tests a built package.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { crsqlitePath } from '#main/store/sqlite/crsqlite-path.ts';

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47]);
const config = readFileSync('electron-builder.yml', 'utf8');

it('[PK-2] the configuration puts native code outside the archive, where the app loads cr-sqlite from', () => {
  expect(config).toMatch(/asarUnpack:\n {2}- node_modules\/better-sqlite3\/\*\*/);
  expect(config).toMatch(/from: \.cache\/crsqlite\n {4}to: crsqlite/);
  // In a package the built code is in app.asar and the extension next to it.
  expect(dirname(crsqlitePath('/opt/Holdfast/resources/app.asar'))).toBe(
    join('/opt/Holdfast/resources/crsqlite'),
  );
});

it('[PK-2] the configuration has no update feed, keeps the data on uninstall, and disables ELECTRON_RUN_AS_NODE', () => {
  expect(config).toMatch(/^publish: null$/m);
  expect(config).toMatch(/deleteAppDataOnUninstall: false/);
  expect(config).toMatch(/runAsNode: false/);
});

it('[PK-2] the icons for Linux have their sizes, and all icons are PNGs', () => {
  for (const size of [16, 32, 48, 64, 128, 256, 512]) {
    const png = readFileSync(`build/icons/${size}x${size}.png`);
    expect(png.subarray(0, 4)).toEqual(PNG);
    expect(png.readUInt32BE(16)).toBe(size);
  }
  const ico = readFileSync('build/icon.ico');
  expect(ico.readUInt16LE(4)).toBeGreaterThan(0);
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
