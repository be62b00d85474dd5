// What it takes to be there: from opening the address to rows that can be pressed, and how much
// script is loaded for it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { amount, median, type Figure } from '../harness.ts';
import type { BenchWindow } from './bench-window.ts';

const ROUNDS = 5;
const ASSETS = join(import.meta.dirname, '../../out/renderer/assets');

export async function startToInteractive({ page, link }: BenchWindow): Promise<Figure> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await page.goto('about:blank');
    const begin = performance.now();
    await page.goto(link('/runs'));
    await page.locator('[data-index] a').first().waitFor();
    times.push(performance.now() - begin);
  }
  return amount('start_to_rows_ms', median(times), 'ms', null);
}

/** Of the first script alone: what is loaded later is not waited for. */
export function bundleSize(): Figure {
  const first = readdirSync(ASSETS).find((name) => /^index-.*\.js$/.test(name)) ?? '';
  const zipped = gzipSync(readFileSync(join(ASSETS, first))).length;
  return amount('bundle_gzip_mb', zipped / 1024 ** 2, 'MB', null);
}
