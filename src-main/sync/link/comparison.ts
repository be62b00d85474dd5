// A comparison as people see it, while it goes on and after its end.
import type { KeyName } from '#shared/sync/device-id.ts';
import type { InviterState } from '#shared/sync/pairing/inviter.ts';
import type { JoinerState } from '#shared/sync/pairing/joiner.ts';

export interface Comparison {
  readonly id: string;
  readonly peer: KeyName;
  readonly state: JoinerState | InviterState;
  readonly peerName: string | null;
  readonly digits: string | null;
}

/** The digits and the name stay to be seen after the end. */
export function describeComparison(
  state: JoinerState | InviterState,
  before: Comparison | null,
): Pick<Comparison, 'state' | 'peerName' | 'digits'> {
  if (state.is === 'comparing') {
    return { state, peerName: state.peerName, digits: state.digits };
  }
  return { state, peerName: before?.peerName ?? null, digits: before?.digits ?? null };
}
