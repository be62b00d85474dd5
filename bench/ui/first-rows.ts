// Time from a navigation within the app to the first rows in the document.
import { amount, median, percentile, type Figure } from '../harness.ts';
import type { BenchWindow } from './bench-window.ts';

const ROUNDS = 9;

interface List {
  readonly name: string;
  readonly path: string;
  /** Selector of an element that appears with the first row. */
  readonly shows?: string;
  /** Name of the page that the navigation starts on. */
  readonly from?: string;
}

const LISTS: readonly List[] = [
  { name: 'runs', path: '/runs' },
  { name: 'runs_failed', path: '/runs?state=failed' },
  { name: 'runs_found', path: '/runs?q=invoice%2099' },
  // The worst case: every run is searched and none matches.
  { name: 'runs_not_found', path: '/runs?q=nothing-like-it', shows: 'main h2' },
  { name: 'inputs', path: '/inputs' },
  { name: 'inputs_found', path: '/inputs?q=order%2042' },
  { name: 'sessions', path: '/sessions' },
  { name: 'jobs', path: '/jobs' },
  { name: 'workflows', path: '/workflows', shows: 'main h2' },
  { name: 'inbox', path: '/inbox', shows: 'main article', from: 'Workflows' },
];

export async function firstRows(window: BenchWindow): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const list of LISTS) {
    const times: number[] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const took = await show(window, list);
      // The first round is a warm-up.
      if (round > 0) times.push(took);
    }
    figures.push(amount(`first_rows_${list.name}_ms`, median(times), 'ms', 100));
    figures.push(amount(`first_rows_${list.name}_p95_ms`, percentile(times, 95), 'ms', null));
  }
  return figures;
}

async function show(
  { page }: BenchWindow,
  { path, shows = '[data-index] a', from = 'Devices' }: List,
): Promise<number> {
  await page.getByRole('link', { name: from }).click();
  await page.getByRole('heading', { name: from, level: 1 }).waitFor();
  return page.evaluate(
    ({ to, wanted }) =>
      new Promise<number>((resolve) => {
        const begin = performance.now();
        const check = (): void => {
          const hasArrived = location.pathname + location.search === to;
          if (hasArrived && document.querySelector(wanted)) resolve(performance.now() - begin);
          else requestAnimationFrame(check);
        };
        // The router follows the address, as with the browser's back and forward buttons.
        history.pushState(null, '', to);
        dispatchEvent(new PopStateEvent('popstate'));
        requestAnimationFrame(check);
      }),
    { to: path, wanted: shows },
  );
}
