// What a person's hands do: keys that are answered, and a wheel that never shows a gap.
import { amount, percentile, type Figure } from '../harness.ts';
import type { BenchWindow } from './window.ts';

const PRESSES = 120;
const SCROLL_STEPS = 200;
const SCROLL_PX = 400;

/** From the key to the frame that shows what it did. */
export async function keyAnswers({ page, link }: BenchWindow): Promise<Figure> {
  await page.goto(link('/runs'));
  await page.locator('[data-index] a').first().waitFor();
  await page.evaluate(() => {
    const times: number[] = [];
    Object.assign(window, { times });
    addEventListener(
      'keydown',
      () => {
        const begin = performance.now();
        requestAnimationFrame(() => setTimeout(() => times.push(performance.now() - begin)));
      },
      { capture: true },
    );
  });
  for (let press = 0; press < PRESSES; press += 1) {
    await page.keyboard.press(press % 10 === 9 ? 'x' : 'j');
  }
  const times = await page.evaluate(() => (window as unknown as { times: number[] }).times);
  return amount('key_answer_p95_ms', percentile(times, 95), 'ms', 50);
}

/** Frames in which a place of the list showed nothing. */
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
          const there = document.elementFromPoint(left + 300, top + height * part);
          return there?.closest('[data-index]') == null;
        });
        if (isBlank) blank += 1;
      }
      return blank;
    },
    { steps: SCROLL_STEPS, px: SCROLL_PX },
  );
  return { ...amount('blank_frames_of_200', blanks, 'ms', 0), unit: 'frames' };
}
