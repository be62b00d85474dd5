// Time from opening the address to the first rows, and the size of the script that this loads.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { amount, median, type Figure } from '../harness.ts';
import type { BenchWindow } from './bench-window.ts';

const ROUNDS = 5;
const ASSETS = join(import.meta.dirname, '../../out/renderer/assets');

export async function startToRows({ page, link }: BenchWindow): Promise<Figure> {
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

/** Only the first script: the first rows do not wait for the lazily loaded ones. */
export function bundleSize(): Figure {
  const first = readdirSync(ASSETS).find((name) => /^index-.*\.js$/.test(name)) ?? '';
  const zipped = gzipSync(readFileSync(join(ASSETS, first))).length;
  return amount('bundle_gzip_mb', zipped / 1024 ** 2, 'MB', null);
}
