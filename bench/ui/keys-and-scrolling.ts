// Latency of keys and clicks in the list of runs, and blank frames while scrolling it.
import { amount, percentile, type Figure } from '../harness.ts';
import type { BenchWindow } from './bench-window.ts';

const PRESSES = 120;
/** The repeat rate of a held key. Without a pause, input would queue up and the queue be measured. */
const KEY_REPEAT_MS = 33;
const FRAME_MS = 16;
const SCROLL_STEPS = 200;
const SCROLL_PX = 400;

/** From the key or click to the frame that shows its result, as the browser reports it. */
export async function keyLatency({ page, link }: BenchWindow): Promise<Figure> {
  await page.goto(link('/runs'));
  await page.locator('[data-index] a').first().waitFor();
  await page.evaluate((threshold) => {
    const times: number[] = [];
    Object.assign(window, { times });
    const listen: PerformanceObserverInit & { durationThreshold: number } = {
      type: 'event',
      durationThreshold: threshold,
    };
    new PerformanceObserver((list) => {
      for (const { name, duration } of list.getEntries()) {
        if (name === 'keydown' || name === 'click') times.push(duration);
      }
    }).observe(listen);
  }, FRAME_MS);
  const choices = page.locator('[data-index] input[type="checkbox"]');
  for (let press = 0; press < PRESSES; press += 1) {
    const isClick = press % 10 === 4;
    await Promise.all([
      isClick ? choices.nth(press % 7).click() : page.keyboard.press(press % 10 === 9 ? 'x' : 'j'),
      page.waitForTimeout(KEY_REPEAT_MS),
    ]);
  }
  const times = await page.evaluate(() => (window as unknown as { times: number[] }).times);
  // The browser does not list events that the next frame already answers.
  const unlisted = Array.from({ length: PRESSES - times.length }, () => FRAME_MS);
  return amount('key_answer_p95_ms', percentile([...times, ...unlisted], 95), 'ms', 50);
}

/** Frames in which some part of the list was blank. */
export async function scrolling({ page, link }: BenchWindow): Promise<Figure> {
  await page.goto(link('/runs'));
  await page.locator('[data-index] a').first().waitFor();
  const blanks = await page.evaluate(
    async ({ steps, px }) => {
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
      const list = [...document.querySelectorAll('[role="rowgroup"]')].at(-1) as HTMLElement;
      const { left, top, height } = list.getBoundingClientRect();
      let blank = 0;
      for (let step = 0; step < steps; step += 1) {
        list.scrollTop += px;
        await frame();
        await frame();
        const isBlank = [0.05, 0.5, 0.95].some((part) => {
          const element = document.elementFromPoint(left + 300, top + height * part);
          return element?.closest('[data-index]') == null;
        });
        if (isBlank) blank += 1;
      }
      return blank;
    },
    { steps: SCROLL_STEPS, px: SCROLL_PX },
  );
  return amount('blank_frames_of_200', blanks, 'frames', 0);
}
