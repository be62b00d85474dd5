// Computes the window's bounds from the saved ones and the connected screens.
import { z } from 'zod';

export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const coordinate = z.int().min(-100_000).max(100_000);
const length = z.int().min(1).max(100_000);

export const windowStateSchema = z.strictObject({
  x: coordinate,
  y: coordinate,
  width: length,
  height: length,
  isMaximized: z.boolean(),
});
export type WindowState = z.infer<typeof windowStateSchema>;

export interface WindowPlace {
  /** If absent, the system chooses the position. */
  readonly x?: number;
  readonly y?: number;
  readonly width: number;
  readonly height: number;
  readonly isMaximized: boolean;
}

export const SMALLEST_WINDOW = { width: 420, height: 400 } as const;
const FIRST_WINDOW = { width: 1180, height: 780 } as const;
/** The part of the title bar that must be on a screen, so that a person can drag the window. */
const GRIP = { width: 120, height: 32 } as const;

/** `screens` holds the work area of each screen, the primary one first. */
export function placeWindow(saved: unknown, screens: readonly Rectangle[]): WindowPlace {
  const parsed = windowStateSchema.safeParse(saved);
  const [main] = screens;
  if (!parsed.success) return { ...fit(FIRST_WINDOW, main), isMaximized: false };
  const { x, y, width, height, isMaximized } = parsed.data;
  const screen = screens.find((one) => hasGrip(parsed.data, one));
  if (!screen) return { ...fit({ width, height }, main), isMaximized };
  return { x, y, ...fit({ width, height }, screen), isMaximized };
}

function fit(
  { width, height }: { readonly width: number; readonly height: number },
  screen: Rectangle | undefined,
): { width: number; height: number } {
  return {
    width: clamp(width, SMALLEST_WINDOW.width, screen?.width),
    height: clamp(height, SMALLEST_WINDOW.height, screen?.height),
  };
}

function clamp(value: number, least: number, most = Infinity): number {
  return Math.max(least, Math.min(value, most));
}

function hasGrip(window: Rectangle, screen: Rectangle): boolean {
  const right = Math.min(window.x + window.width, screen.x + screen.width);
  const across = right - Math.max(window.x, screen.x);
  const isTopInside = window.y >= screen.y && window.y + GRIP.height <= screen.y + screen.height;
  return isTopInside && across >= Math.min(GRIP.width, window.width);
}
