// Waiting for other devices before anything runs.
import type { AskReason } from '#shared/start-check.ts';
import { list } from '#renderer/text/numbers.ts';

export const startCheckText = {
  title: 'Waiting for your other devices',
  why: {
    unclean_stop: (names) =>
      `Holdfast did not stop cleanly. It asks ${list.format(names)} what this device did last, so that nothing is done twice.`,
    went_back: (names) =>
      `The database of this device is older than it was before. Holdfast asks ${list.format(names)} what this device did since.`,
    peer_knows_more: (names) =>
      `${list.format(names)} knows of work of this device that is missing here. Holdfast merges it before anything runs.`,
  } satisfies { readonly [reason in AskReason]: (names: readonly string[]) => string },
  until: (time: string) => `Continues at ${time} at the latest if no device responds.`,
  goOn: 'Continue now',
};
