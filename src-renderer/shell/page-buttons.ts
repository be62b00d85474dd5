// Buttons of the current page as palette commands. Read from the DOM when the palette opens, so no
// button is missed and none costs anything before.
import { MousePointerClick } from 'lucide-react';
import type { Action } from '#renderer/shell/actions.ts';
import { ACTS_AS_BUTTON, ONLY_EXPLAINS } from '#renderer/ui/marks.ts';

const ACTS = `button, summary, nav a, a[${ACTS_AS_BUTTON}]`;
/** Rows have search, and the editor has its own palette. */
const NOT_IN = '[role="row"], .monaco-editor, .monaco-diff-editor, [data-live-announcer]';

/** Includes only buttons with a unique name. */
export function pageButtons(page: ParentNode): Action[] {
  const byName = new Map<string, HTMLElement[]>();
  for (const element of page.querySelectorAll<HTMLElement>(ACTS)) {
    if (!canBePressed(element)) continue;
    const name = nameOf(element);
    if (name !== '') byName.set(name, [...(byName.get(name) ?? []), element]);
  }
  return [...byName].flatMap(([name, elements]) => {
    const [element] = elements;
    if (!element || elements.length > 1) return [];
    return {
      id: `press.${name}`,
      name,
      group: 'page',
      icon: MousePointerClick,
      run: () => press(element),
    };
  });
}

function canBePressed(element: HTMLElement): boolean {
  return (
    !element.matches(
      `[disabled], [data-disabled], [data-pending], [aria-disabled="true"], [aria-current="page"], [${ONLY_EXPLAINS}]`,
    ) && element.closest(NOT_IN) === null
  );
}

/** The accessible name, as far as our pages need it. */
function nameOf(element: HTMLElement): string {
  const ids = element.getAttribute('aria-labelledby')?.split(/\s+/) ?? [];
  const named = ids.flatMap((id) => element.ownerDocument.getElementById(id) ?? []);
  const words = named.length === 0 ? [ownName(element)] : named.map(ownName);
  return words.join(' ').replaceAll(/\s+/g, ' ').trim();
}

const ownName = (element: HTMLElement): string =>
  element.getAttribute('aria-label') ?? element.textContent ?? '';

/** The element may be gone by now. */
function press(element: HTMLElement): void {
  if (!element.isConnected) return;
  element.focus();
  element.click();
}
