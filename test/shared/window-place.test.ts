import { test as propertyTest, fc } from '@fast-check/vitest';
import { expect, test } from 'vitest';
import { placeWindow, SMALLEST_WINDOW } from '#shared/window-place.ts';

const MAIN = { x: 0, y: 24, width: 1440, height: 876 };
const LEFT = { x: -1920, y: 0, width: 1920, height: 1080 };
const SAVED = { x: 100, y: 100, width: 900, height: 600, isMaximized: false };

test('[SH-4] restores the saved bounds, also on a second screen and maximized', () => {
  expect(placeWindow(SAVED, [MAIN])).toEqual(SAVED);
  const there = { ...SAVED, x: -1800, isMaximized: true };
  expect(placeWindow(there, [MAIN, LEFT])).toEqual(there);
});

test('[SH-4] if its screen is gone, only the size is restored', () => {
  const there = { ...SAVED, x: -1800 };
  expect(placeWindow(there, [MAIN])).toEqual({ width: 900, height: 600, isMaximized: false });
});

test.each([
  ['above the screen', { ...SAVED, y: -300 }],
  ['behind the bar at the top', { ...SAVED, y: 10 }],
  ['below the screen', { ...SAVED, y: 890 }],
  ['a sliver at the right', { ...SAVED, x: 1400 }],
  ['a sliver at the left', { ...SAVED, x: -850 }],
])('[SH-4] %s: the position is not restored', (_where, saved) => {
  expect(placeWindow(saved, [MAIN])).not.toHaveProperty('x');
});

test('[SH-4] a smaller screen makes the window smaller', () => {
  const large = { ...SAVED, x: 0, y: 24, width: 3000, height: 2000 };
  expect(placeWindow(large, [MAIN])).toEqual({ ...large, width: 1440, height: 876 });
});

test.each([
  undefined,
  null,
  'x',
  {},
  { ...SAVED, x: 'left' },
  { ...SAVED, width: 0 },
  { ...SAVED, more: 1 },
])('[SH-4] invalid saved bounds (%j) give the default size', (saved) => {
  expect(placeWindow(saved, [MAIN])).toEqual({ width: 1180, height: 780, isMaximized: false });
});

const rectangle = fc.record({
  x: fc.integer({ min: -5000, max: 5000 }),
  y: fc.integer({ min: -5000, max: 5000 }),
  width: fc.integer({ min: 600, max: 5000 }),
  height: fc.integer({ min: 500, max: 5000 }),
});

propertyTest.prop([rectangle, fc.boolean(), fc.array(rectangle, { minLength: 1, maxLength: 3 })])(
  '[SH-4] a restored title bar is reachable, and the window has the minimum size',
  (saved, isMaximized, screens) => {
    const placed = placeWindow({ ...saved, isMaximized }, screens);
    expect(placed.width).toBeGreaterThanOrEqual(SMALLEST_WINDOW.width);
    expect(placed.height).toBeGreaterThanOrEqual(SMALLEST_WINDOW.height);
    const { x, y } = placed;
    if (x === undefined || y === undefined) return;
    const isReachable = screens.some(
      (screen) =>
        y >= screen.y &&
        y < screen.y + screen.height &&
        Math.min(x + saved.width, screen.x + screen.width) - Math.max(x, screen.x) >= 120,
    );
    expect(isReachable).toBe(true);
  },
);
