import { test as propertyTest, fc } from '@fast-check/vitest';
import { expect, test } from 'vitest';
import { placeWindow, SMALLEST_WINDOW } from '#shared/window-place.ts';

const MAIN = { x: 0, y: 24, width: 1440, height: 876 };
const LEFT = { x: -1920, y: 0, width: 1920, height: 1080 };
const KEPT = { x: 100, y: 100, width: 900, height: 600, isMaximized: false };

test('[SH-4] as it was left, also on another screen and maximised', () => {
  expect(placeWindow(KEPT, [MAIN])).toEqual(KEPT);
  const there = { ...KEPT, x: -1800, isMaximized: true };
  expect(placeWindow(there, [MAIN, LEFT])).toEqual(there);
});

test('[SH-4] its screen gone, it opens where the system puts it, in its size', () => {
  const there = { ...KEPT, x: -1800 };
  expect(placeWindow(there, [MAIN])).toEqual({ width: 900, height: 600, isMaximized: false });
});

test.each([
  ['above the screen', { ...KEPT, y: -300 }],
  ['behind the bar at the top', { ...KEPT, y: 10 }],
  ['below the screen', { ...KEPT, y: 890 }],
  ['a sliver at the right', { ...KEPT, x: 1400 }],
  ['a sliver at the left', { ...KEPT, x: -850 }],
])('[SH-4] %s it could not be taken hold of', (_where, kept) => {
  expect(placeWindow(kept, [MAIN])).not.toHaveProperty('x');
});

test('[SH-4] a screen that has become smaller makes it smaller', () => {
  const large = { ...KEPT, x: 0, y: 24, width: 3000, height: 2000 };
  expect(placeWindow(large, [MAIN])).toEqual({ ...large, width: 1440, height: 876 });
});

test.each([
  undefined,
  null,
  'x',
  {},
  { ...KEPT, x: 'left' },
  { ...KEPT, width: 0 },
  { ...KEPT, more: 1 },
])('[SH-4] what cannot be read (%j) is as if it was never opened', (kept) => {
  expect(placeWindow(kept, [MAIN])).toEqual({ width: 1180, height: 780, isMaximized: false });
});

const rectangle = fc.record({
  x: fc.integer({ min: -5000, max: 5000 }),
  y: fc.integer({ min: -5000, max: 5000 }),
  width: fc.integer({ min: 600, max: 5000 }),
  height: fc.integer({ min: 500, max: 5000 }),
});

propertyTest.prop([rectangle, fc.boolean(), fc.array(rectangle, { minLength: 1, maxLength: 3 })])(
  '[SH-4] wherever it was, its top can be reached and it is never too small',
  (kept, isMaximized, screens) => {
    const placed = placeWindow({ ...kept, isMaximized }, screens);
    expect(placed.width).toBeGreaterThanOrEqual(SMALLEST_WINDOW.width);
    expect(placed.height).toBeGreaterThanOrEqual(SMALLEST_WINDOW.height);
    const { x, y } = placed;
    if (x === undefined || y === undefined) return;
    const isReachable = screens.some(
      (screen) =>
        y >= screen.y &&
        y < screen.y + screen.height &&
        Math.min(x + kept.width, screen.x + screen.width) - Math.max(x, screen.x) >= 120,
    );
    expect(isReachable).toBe(true);
  },
);
