// `npm run icons`: renders src-renderer/icon.svg with Chromium into PNGs for Linux, one .ico and one
// .icns. Both are containers of PNGs, written here directly.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

import { chromium } from 'playwright-core';

import { inRepo } from './lib/paths.mjs';
import { useRightNode } from './lib/right-node.mjs';
import { prepareBrowser } from './test-runtime.mjs';

const LINUX = [16, 32, 48, 64, 128, 256, 512];
const ICO = [16, 24, 32, 48, 64, 128, 256];
/** Entry types of the ICNS format and their sizes. */
const ICNS = /** @type {[string, number][]} */ ([
  ['ic07', 128],
  ['ic08', 256],
  ['ic09', 512],
  ['ic10', 1024],
  ['ic11', 32],
  ['ic12', 64],
]);

await useRightNode(import.meta.url);
process.exitCode = await makeIcons();

async function makeIcons() {
  const browser = await prepareBrowser();
  if (!browser.ok) {
    process.stderr.write(`holdfast: the icons could not be rendered: ${browser.reason}\n`);
    return 1;
  }
  const pngs = await render(browser.executable, [
    ...new Set([...LINUX, ...ICO, ...ICNS.map(([, size]) => size)]),
  ]);
  const png = (/** @type {number} */ size) => /** @type {Buffer} */ (pngs.get(size));
  mkdirSync(inRepo('build/icons'), { recursive: true });
  for (const size of LINUX) writeFileSync(inRepo(`build/icons/${size}x${size}.png`), png(size));
  writeFileSync(inRepo('build/icon.ico'), icoOf(ICO.map((size) => [size, png(size)])));
  writeFileSync(inRepo('build/icon.icns'), icnsOf(ICNS.map(([name, size]) => [name, png(size)])));
  return 0;
}

/**
 * @param {string} executablePath
 * @param {number[]} sizes
 * @returns {Promise<Map<number, Buffer>>}
 */
async function render(executablePath, sizes) {
  const svg = readFileSync(inRepo('src-renderer/icon.svg'), 'utf8');
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage();
    const pngs = new Map();
    for (const size of sizes) {
      await page.setViewportSize({ width: size, height: size });
      await page.setContent(
        `<style>*{margin:0}svg{display:block;width:${size}px;height:${size}px}</style>${svg}`,
      );
      pngs.set(size, await page.screenshot({ omitBackground: true, type: 'png' }));
    }
    return pngs;
  } finally {
    await browser.close();
  }
}

/** @param {(readonly [size: number, png: Buffer])[]} images */
function icoOf(images) {
  const head = Buffer.alloc(6);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(images.length, 4);
  let offset = 6 + 16 * images.length;
  const entries = images.map(([size, png]) => {
    const entry = Buffer.alloc(16);
    // 0 means 256.
    entry.writeUInt8(size % 256, 0);
    entry.writeUInt8(size % 256, 1);
    entry.writeUInt16LE(1, 4);
    entry.writeUInt16LE(32, 6);
    entry.writeUInt32LE(png.length, 8);
    entry.writeUInt32LE(offset, 12);
    offset += png.length;
    return entry;
  });
  return Buffer.concat([head, ...entries, ...images.map(([, png]) => png)]);
}

/** @param {(readonly [name: string, png: Buffer])[]} images */
function icnsOf(images) {
  const entries = images.map(([name, png]) => {
    const head = Buffer.alloc(8);
    head.write(name, 0, 'ascii');
    head.writeUInt32BE(png.length + 8, 4);
    return Buffer.concat([head, png]);
  });
  const body = Buffer.concat(entries);
  const head = Buffer.alloc(8);
  head.write('icns', 0, 'ascii');
  head.writeUInt32BE(body.length + 8, 4);
  return Buffer.concat([head, body]);
}
