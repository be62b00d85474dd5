// `npm run demo-gif`: records docs/demo.gif with a real host and its page in Chromium: the practice run
// loses its reply, and a person settles the outcome.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

// @ts-expect-error -- the package has no types.
import gifenc from 'gifenc';
import { chromium } from 'playwright-core';

import { ensureBuilt } from './lib/build.mjs';
import { inRepo } from './lib/paths.mjs';
import { useRightNode } from './lib/right-node.mjs';
import { prepareCrsqlite } from './lib/run-script.mjs';
import { readServeHello } from './lib/smoke-steps.mjs';
import { prepareBrowser } from './test-runtime.mjs';

const SIZE = { width: 960, height: 600 };
const MAX_BYTES = 2_000_000;
const COLOURS = 128;

await useRightNode(import.meta.url);
process.exitCode = await makeGif();

async function makeGif() {
  const found = await prepareBrowser();
  if (!found.ok) {
    process.stderr.write(`holdfast: docs/demo.gif was not recorded: ${found.reason}\n`);
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
    const { url, token } = await readServeHello(host);
    await page.goto(`${url}/#token=${token}`);
    const frames = await play(page);
    const gif = encode(frames);
    writeFileSync(inRepo('docs/demo.gif'), gif);
    const { size } = statSync(inRepo('docs/demo.gif'));
    process.stdout.write(`docs/demo.gif: ${frames.length} frames, ${Math.ceil(size / 1000)} kB\n`);
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
 * Plays the tour: the empty inbox, an effect whose reply was lost, the decision, the committed run.
 *
 * @param {import('playwright-core').Page} page
 * @returns {Promise<Frame[]>}
 */
async function play(page) {
  /** @type {Frame[]} */
  const frames = [];
  const take = async (/** @type {number} */ ms) => {
    // Animations have finished.
    await page.evaluate(() => Promise.all(document.getAnimations().map((one) => one.finished)));
    frames.push({ pixels: await pixelsOf(page), ms });
  };
  const press = async (/** @type {import('playwright-core').Locator} */ button) => {
    await button.scrollIntoViewIfNeeded();
    await button.hover();
    await take(1200);
    await button.click();
  };
  const begin = page.getByRole('button', { name: /two-minute tour/ }).first();
  await begin.waitFor();
  await take(1800);
  await press(begin);
  const look = page.getByRole('button', { name: /practice shop/ }).first();
  await look.waitFor();
  await take(3500);
  await press(look);
  await page.getByText(/^The order is there/).waitFor();
  await take(3500);
  await press(page.getByRole('button', { name: 'It went through' }).first());
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
 * Takes a screenshot and decodes it in another page, which saves a PNG decoder.
 *
 * @param {import('playwright-core').Page} page
 * @returns {Promise<Uint8Array>} RGBA
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
