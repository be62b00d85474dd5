// Buttons of the current page as palette commands. Read from the DOM when the palette opens, so no
// button is missed and none costs anything before.
import { MousePointerClick } from 'lucide-react';
import type { Command } from '#renderer/commands/command-registry.ts';
import { BUTTON_LINK_ATTRIBUTE, TOOLTIP_ATTRIBUTE } from '#renderer/ui/buttons/data-attributes.ts';

const BUTTON_SELECTOR = `button, summary, nav a, a[${BUTTON_LINK_ATTRIBUTE}]`;
/** Rows have search, and the editor has its own palette. */
const EXCLUDED_SELECTOR =
  '[role="row"], .monaco-editor, .monaco-diff-editor, [data-live-announcer]';

/** Includes only buttons with a unique name. */
export function pageButtonCommands(page: ParentNode): Command[] {
  const byName = new Map<string, HTMLElement[]>();
  for (const element of page.querySelectorAll<HTMLElement>(BUTTON_SELECTOR)) {
    if (!isPressable(element)) continue;
    const name = accessibleName(element);
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
      // A button may do anything.
      isHarmless: element.matches('a, summary'),
      run: () => press(element),
    };
  });
}

function isPressable(element: HTMLElement): boolean {
  return (
    !element.matches(
      `[disabled], [data-disabled], [data-pending], [aria-disabled="true"], [aria-current="page"], [${TOOLTIP_ATTRIBUTE}]`,
    ) && element.closest(EXCLUDED_SELECTOR) === null
  );
}

/** The accessible name, as far as our pages need it. */
function accessibleName(element: HTMLElement): string {
  const ids = element.getAttribute('aria-labelledby')?.split(/\s+/) ?? [];
  const named = ids.flatMap((id) => element.ownerDocument.getElementById(id) ?? []);
  const names = named.length === 0 ? [ownName(element)] : named.map(ownName);
  return names.join(' ').replaceAll(/\s+/g, ' ').trim();
}

const ownName = (element: HTMLElement): string =>
  element.getAttribute('aria-label') ?? element.textContent ?? '';

/** The element may be gone by now. */
function press(element: HTMLElement): void {
  if (!element.isConnected) return;
  element.focus();
  element.click();
}
