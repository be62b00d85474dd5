// Text of the wait for other devices before anything runs.
import type { AskReason } from '#shared/start-check.ts';
import { list } from '#renderer/text/numbers.ts';

export const startCheckText = {
  title: 'Waiting for your other devices',
  why: {
    unclean_stop: (names) =>
      `Holdfast didn’t stop cleanly. It asks ${list.format(names)} what this device did last, so that nothing happens twice.`,
    went_back: (names) =>
      `The database of this device went back to an earlier state. Holdfast asks ${list.format(names)} what this device did since.`,
    peer_knows_more: (names) =>
      `Work of this device is missing in its database. Holdfast merges it from ${list.format(names)} before anything runs.`,
  } satisfies { readonly [reason in AskReason]: (names: readonly string[]) => string },
  until: (time: string) => `If no device responds, Holdfast continues by ${time}.`,
  goOn: 'Continue now',
};
