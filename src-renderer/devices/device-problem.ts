// Why two devices don't sync, and the next step for a person.
import type { DeviceView } from '#shared/api/devices.ts';
import { LINK_ENDS, type LinkEndName } from '#shared/sync/link-ends.ts';
import { LINK_NEXT_STEPS } from '#renderer/text/devices-text.ts';
import { text } from '#renderer/text/text.ts';

export interface DeviceProblem {
  readonly kind: 'link' | 'sync';
  readonly name: string;
  readonly message: string;
  /** Null if the message already includes the next step. */
  readonly nextStep: string | null;
}

/** A sync error explains more than the lost link that follows it, so it comes first. */
export function deviceProblemOf({ state, sync, problem }: DeviceView): DeviceProblem | null {
  if (state !== 'away' && state !== 'linked') return null;
  if (sync?.state === 'update-needed') {
    return { kind: 'sync', name: sync.state, message: sync.message, nextStep: null };
  }
  if (sync?.state === 'ended' && !isLinkEnd(sync.name)) {
    return { kind: 'sync', name: sync.name, message: sync.message, nextStep: null };
  }
  if (state === 'linked' || problem === null) return null;
  const nextStep = isLinkEnd(problem.name) ? LINK_NEXT_STEPS[problem.name] : null;
  return { kind: 'link', ...problem, nextStep };
}

export const problemTitle = ({ kind }: DeviceProblem): string =>
  kind === 'link' ? text.devices.problem : text.devices.syncProblem;

function isLinkEnd(name: string): name is LinkEndName {
  return Object.hasOwn(LINK_ENDS, name);
}
