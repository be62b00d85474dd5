// `npm run demo-gif`: docs/demo.gif, a minute of Holdfast in some pictures. A real host, a real page in
// Chromium, the practice run that loses an answer, and a person who settles it. Nothing is staged.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

// @ts-expect-error -- it comes without types.
import gifenc from 'gifenc';
import { chromium } from 'playwright-core';

import { ensureBuilt } from './lib/build.mjs';
import { inRepo } from './lib/paths.mjs';
import { useRightNode } from './lib/right-node.mjs';
import { prepareCrsqlite } from './lib/run-script.mjs';
import { helloOf } from './lib/smoke-steps.mjs';
import { prepareBrowser } from './test-runtime.mjs';

const SIZE = { width: 960, height: 600 };
const MAX_BYTES = 2_000_000;
const COLOURS = 128;

await useRightNode(import.meta.url);
process.exitCode = await makeGif();

async function makeGif() {
  const found = await prepareBrowser();
  if (!found.ok) {
    process.stderr.write(`holdfast: the pictures cannot be taken: ${found.reason}\n`);
    return 1;
  }
  if (!(await prepareCrsqlite())) return 1;
  await ensureBuilt();
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'holdfast-demo-'));
  const host = spawn(
    process.execPath,
    [inRepo('bin/holdfast.mjs'), 'serve', '--json', '--data', dataDir],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const browser = await chromium.launch({
    executablePath: found.executable,
    args: ['--no-sandbox', '--disable-gpu'],
  });
  try {
    const context = await browser.newContext({ viewport: SIZE, colorScheme: 'light' });
    const page = await context.newPage();
    const { url, token } = await helloOf(host);
    await page.goto(`${url}/#token=${token}`);
    const frames = await play(page);
    const gif = encode(frames);
    writeFileSync(inRepo('docs/demo.gif'), gif);
    const { size } = statSync(inRepo('docs/demo.gif'));
    process.stdout.write(
      `docs/demo.gif: ${frames.length} pictures, ${Math.ceil(size / 1000)} kB\n`,
    );
    return size <= MAX_BYTES ? 0 : 1;
  } finally {
    await browser.close();
    host.kill('SIGTERM');
    await new Promise((resolve) => host.once('exit', resolve));
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** @typedef {{ pixels: Uint8Array, ms: number }} Frame */

/**
 * The story: nothing yet, an effect whose answer was lost, a decision, and what came of it.
 *
 * @param {import('playwright-core').Page} page
 * @returns {Promise<Frame[]>}
 */
async function play(page) {
  /** @type {Frame[]} */
  const frames = [];
  const take = async (/** @type {number} */ ms) => {
    // What moves has come to rest.
    await page.evaluate(() => Promise.all(document.getAnimations().map((one) => one.finished)));
    frames.push({ pixels: await pixelsOf(page), ms });
  };
  const press = async (/** @type {import('playwright-core').Locator} */ button) => {
    await button.scrollIntoViewIfNeeded();
    await button.hover();
    await take(1200);
    await button.click();
  };
  const button = (/** @type {string} */ name) => page.getByRole('button', { name }).first();
  const begin = button('Start the two-minute tour');
  await begin.waitFor();
  await take(1800);
  await press(begin);
  const look = button('Look into the practice shop');
  await look.waitFor();
  await take(3500);
  await press(look);
  await page.getByText(/^The order is there/).waitFor();
  await take(3500);
  await press(button('It happened'));
  await page
    .getByText(/^Settled/)
    .first()
    .waitFor();
  await take(2500);
  await page.getByRole('link', { name: /^Runs/ }).first().click();
  await page.getByText('Committed', { exact: true }).first().waitFor();
  await take(3500);
  return frames;
}

/**
 * The picture, decoded by a page of its own: the browser can, so nothing else has to.
 *
 * @param {import('playwright-core').Page} page
 * @returns {Promise<Uint8Array>} red, green, blue and alpha of each point
 */
async function pixelsOf(page) {
  const png = (await page.screenshot({ type: 'png' })).toString('base64');
  const decoder = await page.context().newPage();
  try {
    const base64 = await decoder.evaluate(async (picture) => {
      const image = new Image();
      image.src = `data:image/png;base64,${picture}`;
      await image.decode();
      const canvas = document.createElement('canvas');
      canvas.width = image.width;
      canvas.height = image.height;
      const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
      context.drawImage(image, 0, 0);
      const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
      let text = '';
      for (let at = 0; at < data.length; at += 8192) {
        text += String.fromCodePoint(...data.subarray(at, at + 8192));
      }
      return btoa(text);
    }, png);
    return new Uint8Array(Buffer.from(base64, 'base64'));
  } finally {
    await decoder.close();
  }
}

/** @param {Frame[]} frames */
function encode(frames) {
  const encoder = gifenc.GIFEncoder();
  for (const { pixels, ms } of frames) {
    const palette = gifenc.quantize(pixels, COLOURS);
    const indexes = gifenc.applyPalette(pixels, palette);
    encoder.writeFrame(indexes, SIZE.width, SIZE.height, { palette, delay: ms });
  }
  encoder.finish();
  return encoder.bytes();
}
