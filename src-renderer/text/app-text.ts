// The app as a whole: connection, access key, errors of the client.
import { counted } from '#renderer/text/numbers.ts';

export const appText = {
  app: {
    name: 'Holdfast',
    skipLink: 'Skip to content',
    navigation: 'Main',
    inbox: 'Inbox',
    inboxCount: (items: number) => counted(items, 'thing waits for you', 'things wait for you'),
    workflows: 'Workflows',
    runs: 'Runs',
    jobs: 'Jobs',
    devices: 'Devices',
    settings: 'Settings',
    connected: 'Connected',
    connecting: 'Connecting',
    gone: 'Host gone',
    device: (shortId: string) => `Device ${shortId}`,
    nextRow: 'Next row',
    previousRow: 'Previous row',
    thisDevice: (name: string) => `${name} (this device)`,
    unknownPage: 'There is no such page',
    unknownPageHint: (path: string) =>
      `Nothing is shown at ${path}. The address may be mistyped, or come from another version.`,
    crashed: 'This page broke',
    crashedHint:
      'An error in the page stopped it. Nothing on the host was changed by that. Loading the page again usually helps.',
    reload: 'Load again',
    close: 'Close',
    cancel: 'Cancel',
    tryAgain: 'Try again',
  },

  gone: {
    since: (time: string) => `Host gone: shown as of ${time}, trying again`,
    never: 'The host does not answer, trying again',
  },

  token: {
    title: 'Open Holdfast with its link',
    why: 'This page shows nothing without the key of your host, so that no other program or page on this machine can look in.',
    howFirst: 'In a terminal, run',
    howOr: 'or',
    howSecond: 'Open the address it prints, or paste it here.',
    refused: 'The host did not accept this key: it may belong to another data folder.',
    field: 'Link or key',
    placeholder: 'http://127.0.0.1:…/#token=…',
    submit: 'Open',
    unreadable:
      'This is neither a Holdfast link nor a key. Copy the whole address that was printed.',
  },

  json: {
    all: (size: string) => `Show all, ${size}`,
    less: 'Show less',
  },

  errors: {
    unreachable:
      'The host does not answer. Trying again is safe: the same request counts only once.',
    unreadable:
      'The host answered in a way this page does not understand. They may be of different versions: load the page again.',
  },
} as const;
