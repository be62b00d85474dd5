// The app as a whole: connection, API token, errors of the client.
import { counted } from '#renderer/text/numbers.ts';

export const appText = {
  app: {
    name: 'Holdfast',
    skipLink: 'Skip to content',
    navigation: 'Main',
    inbox: 'Inbox',
    inboxCount: (items: number) => counted(items, 'item needs you', 'items need you'),
    workflows: 'Workflows',
    runs: 'Runs',
    jobs: 'Jobs',
    devices: 'Devices',
    settings: 'Settings',
    connected: 'Connected',
    connecting: 'Connecting',
    gone: 'Disconnected',
    device: (shortId: string) => `Device ${shortId}`,
    nextRow: 'Next row',
    previousRow: 'Previous row',
    thisDevice: (name: string) => `${name} (this device)`,
    unknownPage: 'Page not found',
    unknownPageHint: (path: string) =>
      `There’s no page at ${path}. Check the address. It may be from another version of Holdfast.`,
    crashed: 'This page crashed',
    crashedHint: 'Nothing on the host changed. Reloading the page usually helps.',
    reload: 'Reload',
    close: 'Close',
    cancel: 'Cancel',
    tryAgain: 'Try again',
  },

  gone: {
    since: (time: string) => `Disconnected. Last updated ${time}. Reconnecting…`,
    never: 'Can’t reach the host. Reconnecting…',
  },

  token: {
    title: 'Connect to Holdfast',
    why: 'This page needs your host’s API token. The token keeps other programs and pages on this machine out.',
    howFirst: 'In a terminal, run',
    howOr: 'or',
    howSecond: 'Open the address it prints, or paste it here.',
    refused: 'The host rejected this API token. It may belong to another data folder.',
    field: 'Link or API token',
    placeholder: 'http://127.0.0.1:…/#token=…',
    submit: 'Connect',
    unreadable: 'Not a Holdfast link or API token. Copy the whole address.',
  },

  json: {
    all: (size: string) => `Show all (${size})`,
    less: 'Show less',
  },

  errors: {
    unreachable: 'Can’t reach the host. It’s safe to try again: a repeated request counts once.',
    unreadable:
      'This page can’t read the host’s reply. The two may be different versions. Reload the page.',
  },
} as const;
