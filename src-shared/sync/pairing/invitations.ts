// Invitations by link. Each is valid for ten minutes and one device. Ended ones are remembered for a
// while, so that a late device gets the reason.
import type { PairingFailure } from '#shared/sync/pairing/failures.ts';
import {
  invitationId,
  isSameText,
  tokenProof,
  type BothKeys,
} from '#shared/sync/pairing/proofs.ts';
import { INVITATION_MS, MAX_PAIRING_TRIES, MAX_REMEMBERED_INVITATIONS } from '#shared/limits.ts';

interface InvitationFacts {
  readonly id: string;
  readonly token: string;
  readonly expiresAt: number;
}

export type Invitation =
  | (InvitationFacts & { readonly status: 'open'; readonly wrongTries: number })
  | (InvitationFacts & { readonly status: 'used'; readonly usedBy: string })
  | (InvitationFacts & { readonly status: 'ended' });

export type Invitations = readonly Invitation[];

export interface Attempt {
  readonly invitation: string;
  readonly proof: string;
  readonly joinerId: string;
  readonly keys: BothKeys;
}

export function openInvitation(
  before: Invitations,
  token: string,
  now: number,
): { readonly invitations: Invitations; readonly opened: Invitation } {
  const opened: Invitation = {
    id: invitationId(token),
    token,
    expiresAt: now + INVITATION_MS,
    status: 'open',
    wrongTries: 0,
  };
  return { invitations: [...before, opened].slice(-MAX_REMEMBERED_INVITATIONS), opened };
}

/** Whether an invitation can still be used. */
export function isAnyOpen(invitations: Invitations, now: number): boolean {
  return invitations.some(({ status, expiresAt }) => status === 'open' && now < expiresAt);
}

export function judgeAttempt(
  before: Invitations,
  attempt: Attempt,
  now: number,
): { readonly invitations: Invitations; readonly verdict: 'welcome' | PairingFailure } {
  const named = before.find(({ id }) => id === attempt.invitation);
  // The id is a hash of the token, so an unknown id is a guess and counts against every invitation.
  if (!named) return { invitations: before.map(countWrongTry), verdict: 'unknown-invitation' };
  const replaced = (by: Invitation): Invitations => before.map((one) => (one === named ? by : one));
  if (named.status === 'ended') return { invitations: before, verdict: 'too-many-tries' };
  if (!isSameText(attempt.proof, tokenProof(named.token, attempt.keys))) {
    return { invitations: replaced(countWrongTry(named)), verdict: 'unknown-invitation' };
  }
  if (named.status === 'used') {
    // The welcome may have been lost, so the same device may repeat its request.
    const isSame = named.usedBy === attempt.joinerId && now < named.expiresAt;
    return { invitations: before, verdict: isSame ? 'welcome' : 'already-used' };
  }
  if (now >= named.expiresAt) return { invitations: before, verdict: 'expired' };
  const { id, token, expiresAt } = named;
  const used: Invitation = { id, token, expiresAt, status: 'used', usedBy: attempt.joinerId };
  return { invitations: replaced(used), verdict: 'welcome' };
}

function countWrongTry(invitation: Invitation): Invitation {
  if (invitation.status !== 'open') return invitation;
  const { id, token, expiresAt } = invitation;
  const wrongTries = invitation.wrongTries + 1;
  if (wrongTries >= MAX_PAIRING_TRIES) return { id, token, expiresAt, status: 'ended' };
  return { ...invitation, wrongTries };
}
