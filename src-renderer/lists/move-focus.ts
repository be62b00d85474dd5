// Arrow keys, Home and End in a list of which only a part exists: the row is brought into being
// first, then focused.
import type { Virtualizer } from '@tanstack/react-virtual';
import type { KeyboardEvent } from 'react';

export function moveFocus(
  event: KeyboardEvent<HTMLElement>,
  count: number,
  virtualizer: Virtualizer<HTMLDivElement, Element>,
): void {
  const list = event.currentTarget;
  const row = (event.target as HTMLElement).closest<HTMLElement>('[data-index]');
  const target = targetOf(event.key, Number(row?.dataset['index'] ?? -1), count);
  if (target === undefined) return;
  event.preventDefault();
  virtualizer.scrollToIndex(target, { align: 'auto' });
  requestAnimationFrame(() =>
    list.querySelector<HTMLElement>(`[data-index="${target}"] a`)?.focus({ preventScroll: true }),
  );
}

function targetOf(key: string, from: number, count: number): number | undefined {
  if (count === 0) return undefined;
  if (key === 'ArrowDown') return Math.min(from + 1, count - 1);
  if (key === 'ArrowUp') return Math.max(from - 1, 0);
  if (key === 'Home') return 0;
  if (key === 'End') return count - 1;
  return undefined;
}
