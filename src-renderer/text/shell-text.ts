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
  system: 'System',
  light: 'Light',
  dark: 'Dark',
};

export const shellText = {
  goTo: (place: string) => `Go to ${place}`,
  palette: {
    title: 'Commands',
    open: 'Search…',
    placeholder: 'Search for a command or page',
    none: 'No matches',
    workflow: {
      overview: (name: string) => `Open ${name}`,
      graph: (name: string) => `Graph of ${name}`,
      versions: (name: string) => `Versions of ${name}`,
      edit: (name: string) => `Edit ${name}`,
    },
    searchRuns: (words: string) => `Search runs for “${words}”`,
    keys: 'Up and Down to select, Enter to run, Escape to close',
  },
  shortcuts: {
    title: 'Keyboard shortcuts',
    open: 'Show keyboard shortcuts',
    andThen: 'then',
    singleKeys: 'Single-key shortcuts',
    singleKeysHint: 'Turn off if you use speech input or often press keys by accident.',
    list: 'Move through a list',
    leave: 'Close',
  },
  theme: {
    label: 'Theme',
    choose: (word: string) => `Theme: ${word.toLowerCase()}`,
  },
  welcome: {
    title: 'Welcome to Holdfast',
    what: 'Holdfast runs automations on your own machine and records every effect they have outside. It never repeats an effect, and it never guesses an outcome.',
    tryTitle: 'Take the tour',
    tryHint:
      'A sample workflow sends one order to a practice shop on this machine. The shop’s reply gets lost on purpose, and you settle the outcome. Nothing leaves your machine.',
    tryIt: 'Start the two-minute tour',
    starting: 'Starting…',
    ownTitle: 'Your own workflow',
    ownHint: 'A workflow is one TypeScript file. Write a new one or add one you have.',
    own: 'Go to workflows',
    action: 'Take the two-minute tour',
  },
  tour: {
    title: 'Tour',
    leave: 'Leave the tour',
    sending:
      'The sample is ordering three ropes from the practice shop. In a moment, the shop’s reply will get lost.',
    stepOne:
      'The order was sent, but the reply got lost. Holdfast doesn’t send it again and doesn’t guess. The card below asks you.',
    stepTwo: 'Check for yourself: did the order reach the practice shop?',
    look: 'Check the practice shop',
    lookAgain: 'Check again',
    found: (orders: number) =>
      orders === 1 ? 'The shop has this order:' : `The shop has these ${orders} orders:`,
    nothing: 'The shop has no order.',
    stepThreeFound:
      'The order is there. Press “It went through” below: the run continues and nothing is sent.',
    stepThreeNothing: 'No order is there. Press “It didn’t” below: Holdfast sends it once.',
    settling: 'Saved. You can undo this for a few seconds. Then Holdfast acts on it.',
    done: 'Settled. The workflow continues, and the order wasn’t sent twice. When Holdfast can’t know an outcome, it asks you here.',
    seeRuns: 'View runs',
    next: 'Add your own workflow',
  },
  toast: { region: 'Notifications', dismiss: 'Dismiss' },
  copy: { json: 'Copy as JSON', copied: 'Copied' },
} as const;
