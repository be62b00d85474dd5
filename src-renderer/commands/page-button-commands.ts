// What the page that is shown can be told to do by its own buttons, for the palette. Read from the
// page when the palette opens, so that no button can be forgotten, and none costs anything before.
import { MousePointerClick } from 'lucide-react';
import type { Action } from '#renderer/commands/command-registry.ts';
import { ACTS_AS_BUTTON, ONLY_EXPLAINS } from '#renderer/ui/buttons/data-attributes.ts';

const ACTS = `button, summary, nav a, a[${ACTS_AS_BUTTON}]`;
/** Rows are found by what they say, and the editor has a palette of its own. */
const NOT_IN = '[role="row"], .monaco-editor, .monaco-diff-editor, [data-live-announcer]';

/** Those whose name says which one is meant. */
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

/** As a screen reader would say it, as far as our own pages go. */
function nameOf(element: HTMLElement): string {
  const ids = element.getAttribute('aria-labelledby')?.split(/\s+/) ?? [];
  const named = ids.flatMap((id) => element.ownerDocument.getElementById(id) ?? []);
  const words = named.length === 0 ? [ownName(element)] : named.map(ownName);
  return words.join(' ').replaceAll(/\s+/g, ' ').trim();
}

const ownName = (element: HTMLElement): string =>
  element.getAttribute('aria-label') ?? element.textContent ?? '';

/** It may have gone since. */
function press(element: HTMLElement): void {
  if (!element.isConnected) return;
  element.focus();
  element.click();
}
