// The frame around the pages: command palette, shortcuts, theme, toasts, tour.
import type { CommandGroup } from '#renderer/commands/command-registry.ts';
import type { Theme } from '#renderer/shell/preferences.ts';

export const COMMAND_GROUP_LABELS: Readonly<Record<CommandGroup, string>> = {
  page: 'On this page',
  workflow: 'Workflows',
  go: 'Go to',
  app: 'Holdfast',
};

export const THEME_LABELS: Readonly<Record<Theme, string>> = {
  system: 'As the system',
  light: 'Light',
  dark: 'Dark',
};

export const shellText = {
  goTo: (place: string) => `Go to ${place}`,
  palette: {
    title: 'Commands',
    open: 'Search…',
    placeholder: 'Type what you want to do, or where to go',
    none: 'Nothing is called that.',
    workflow: {
      overview: (name: string) => `Open ${name}`,
      graph: (name: string) => `Graph of ${name}`,
      versions: (name: string) => `Versions of ${name}`,
      edit: (name: string) => `Edit ${name}`,
    },
    searchRuns: (words: string) => `Find runs with “${words}”`,
    keys: 'Up and down to choose, Enter to do it, Escape to leave',
  },
  shortcuts: {
    title: 'Keyboard shortcuts',
    open: 'Show keyboard shortcuts',
    andThen: 'then',
    singleKeys: 'Single keys act',
    singleKeysHint: 'Switch off if you speak to your computer, or press keys by accident.',
    list: 'Move through a list',
    leave: 'Close what is open',
  },
  theme: {
    label: 'Theme',
    choose: (word: string) => `Theme: ${word.toLowerCase()}`,
  },
  welcome: {
    title: 'Welcome to Holdfast',
    what: 'Holdfast runs automations on your own machine and keeps a record of everything they do to the outside world. It never does a thing twice, and never pretends to know what it does not.',
    tryTitle: 'See it in two minutes',
    tryHint:
      'A sample sends one order to a practice shop on this machine. The shop’s answer gets lost on purpose, and you settle what became of it. Nothing leaves your machine.',
    tryIt: 'Start the two-minute tour',
    starting: 'Starting…',
    ownTitle: 'Bring your own',
    ownHint: 'A workflow is one TypeScript file. Write it, or add one that you have.',
    own: 'Go to workflows',
    action: 'Take the two-minute tour',
  },
  tour: {
    title: 'Tour',
    leave: 'Leave the tour',
    sending:
      'The sample is sending an order for three ropes to the practice shop. Wait a moment: its answer is about to get lost.',
    stepOne:
      'An order was sent, and the answer got lost. Holdfast does not send it again, and does not guess: the card below asks you.',
    stepTwo: 'So look for yourself: did the order reach the practice shop?',
    look: 'Look into the practice shop',
    lookAgain: 'Look again',
    found: (orders: number) =>
      orders === 1 ? 'The shop has this order:' : `The shop has these ${orders} orders:`,
    nothing: 'The shop has no order.',
    stepThreeFound:
      'The order is there. So press “It happened” below: the run goes on, and nothing is sent.',
    stepThreeNothing:
      'No order is there. So press “It did not happen” below: it is sent anew, once.',
    settling: 'Recorded. For a few seconds you can take it back; then Holdfast acts on it.',
    done: 'Settled. The workflow goes on, and the order was not sent twice. That is all there is to it: whatever Holdfast cannot know, it asks you here.',
    seeRuns: 'See what it did',
    next: 'Bring your own workflow',
  },
  toast: { region: 'Messages', dismiss: 'Dismiss', undo: 'Undo' },
  copy: { json: 'Copy as JSON', copied: 'Copied' },
} as const;
