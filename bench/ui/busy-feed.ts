// 500 changes a second on the feed while the list of runs is shown: load of the page's main thread,
// and its heap afterwards.
import { setTimeout as wait } from 'node:timers/promises';
import { amount, type Figure } from '../harness.ts';
import type { BenchWindow } from './bench-window.ts';

const PER_SECOND = 500;
const BATCH_EVERY_MS = 20;

export async function busyFeed(window: BenchWindow, minutes: number): Promise<Figure[]> {
  const { page, link, devtools } = window;
  await page.goto(link('/runs'));
  await page.locator('[data-index] a').first().waitFor();
  await devtools.send('Performance.enable');
  const before = await busySeconds(window);
  const begin = performance.now();
  const changes = await changeRuns(window, minutes * 60_000);
  const seconds = (performance.now() - begin) / 1000;
  const busy = ((await busySeconds(window)) - before) / seconds;
  await devtools.send('HeapProfiler.collectGarbage');
  const heap = await metric(window, 'JSHeapUsedSize');
  return [
    amount('feed_changes_per_s', changes / seconds, '1/s', null),
    amount('feed_busy_percent', busy * 100, '%', 50),
    {
      ...amount('heap_after_feed_mb', heap / 1024 ** 2, 'MB', 300),
      note: `after ${minutes} min`,
    },
  ];
}

/** Creates real runs in the store and ends each of them; returns the number of changes. */
async function changeRuns({ host }: BenchWindow, lengthMs: number): Promise<number> {
  const { handlerRuns } = host.stores;
  const end = performance.now() + lengthMs;
  let made = 0;
  let last: string | null = null;
  const begin = performance.now();
  while (performance.now() < end) {
    const due = ((performance.now() - begin) / 1000) * PER_SECOND;
    host.folder.db.write(() => {
      while (made < due) {
        if (last === null) {
          last = handlerRuns.create({
            scriptRunId: 'busy',
            workflowId: 'seeded-0',
            handlerType: 'consumer',
            handlerName: 'busy',
            inputState: null,
            epoch: 1,
            begins: { phase: 'preparing' },
          }).id;
        } else {
          handlerRuns.moveConsumer(last, {
            type: 'fail',
            errorType: 'logic',
            error: `Busy ${made}`,
            at: Date.now(),
          });
          last = null;
        }
        made += 1;
      }
    });
    await wait(BATCH_EVERY_MS);
  }
  return made;
}

const busySeconds = (window: BenchWindow): Promise<number> => metric(window, 'TaskDuration');

async function metric({ devtools }: BenchWindow, wanted: string): Promise<number> {
  const { metrics } = await devtools.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN;
}
