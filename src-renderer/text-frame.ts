// The words of the frame around the pages: palette, shortcuts, theme, toasts, the tour. A part of
// `text.ts`, beside it to keep both short.
import type { ActionGroup } from '#renderer/shell/actions.ts';
import type { Theme } from '#renderer/shell/settings.ts';

export const ACTION_GROUP_WORDS: Readonly<Record<ActionGroup, string>> = {
  page: 'On this page',
  go: 'Go to',
  app: 'Holdfast',
};

export const THEME_WORDS: Readonly<Record<Theme, string>> = {
  system: 'As the system',
  light: 'Light',
  dark: 'Dark',
};

export const frame = {
  goTo: (place: string) => `Go to ${place}`,
  palette: {
    title: 'Commands',
    open: 'Search or do…',
    placeholder: 'Type what you want to do, or where to go',
    none: 'Nothing is called that.',
    searchRuns: (words: string) => `Find runs with “${words}”`,
    keys: 'Up and down to choose, Enter to do it, Escape to leave',
  },
  shortcuts: {
    title: 'Keyboard shortcuts',
    open: 'Show keyboard shortcuts',
    then: 'then',
    singleKeys: 'Single keys act',
    singleKeysHint: 'Switch off if you speak to your computer, or press keys by accident.',
    list: 'Move through a list',
    leave: 'Close what is open',
  },
  theme: {
    label: 'Theme',
    choose: (word: string) => `Theme: ${word.toLowerCase()}`,
  },
  toast: { region: 'Messages', dismiss: 'Dismiss', undo: 'Undo' },
  copy: { json: 'Copy as JSON', copied: 'Copied', of: (what: string) => `Copy ${what} as JSON` },
} as const;
