// Arrow keys, Home and End in a virtual list: scroll the row into view first, then focus it.
import type { Virtualizer } from '@tanstack/react-virtual';
import type { KeyboardEvent } from 'react';

export function moveFocus(
  event: KeyboardEvent<HTMLElement>,
  count: number,
  virtualizer: Virtualizer<HTMLDivElement, Element>,
): void {
  const target = targetIndex(event.key, rowIndexOf(event.target as HTMLElement), count);
  if (target === undefined) return;
  event.preventDefault();
  focusRow(event.currentTarget, target, virtualizer);
}

/** Moves from the focused row, or to the first visible one. */
export function stepFocus(
  list: HTMLElement,
  by: 1 | -1,
  count: number,
  virtualizer: Virtualizer<HTMLDivElement, Element>,
): void {
  if (count === 0) return;
  const from = rowIndexOf(document.activeElement);
  const first = virtualizer.range?.startIndex ?? 0;
  const to = from === -1 ? first : Math.min(Math.max(from + by, 0), count - 1);
  focusRow(list, to, virtualizer);
}

const rowIndexOf = (element: Element | null): number =>
  Number(element?.closest<HTMLElement>('[data-index]')?.dataset['index'] ?? -1);

function focusRow(
  list: HTMLElement,
  target: number,
  virtualizer: Virtualizer<HTMLDivElement, Element>,
): void {
  virtualizer.scrollToIndex(target, { align: 'auto' });
  const focus = (): boolean => {
    const link = list.querySelector<HTMLElement>(`[data-index="${target}"] a`);
    link?.focus({ preventScroll: true });
    return link !== null;
  };
  // Focus immediately if the row is rendered, because the next key may follow at once.
  if (!focus()) requestAnimationFrame(focus);
}

function targetIndex(key: string, from: number, count: number): number | undefined {
  if (count === 0) return undefined;
  if (key === 'ArrowDown') return Math.min(from + 1, count - 1);
  if (key === 'ArrowUp') return Math.max(from - 1, 0);
  if (key === 'Home') return 0;
  if (key === 'End') return count - 1;
  return undefined;
}
