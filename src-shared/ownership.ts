// Decides which device owns a workflow. A merge cannot lock out a device, so ownership is a claim with
// an epoch, and the highest epoch owns. The result depends only on the claims, so devices with the same
// claims agree on the owner.

export const CLAIM_WAYS = ['added', 'handover', 'takeover'] as const;
export type ClaimWay = (typeof CLAIM_WAYS)[number];

export interface Claim {
  readonly workflowId: string;
  readonly epoch: number;
  readonly deviceId: string;
  readonly how: ClaimWay;
  readonly fromDeviceId: string | null;
  readonly fromEpoch: number | null;
  readonly claimedAt: number;
  readonly release: { readonly toDeviceId: string; readonly at: number } | null;
}

export type Ownership =
  /** The workflow is older than claims, or its claims have not been merged yet. */
  | { readonly type: 'nobody' }
  | { readonly type: 'owned'; readonly claim: Claim; readonly rivals: readonly string[] }
  /** Released: no device runs it until the named device claims the next epoch. */
  | {
      readonly type: 'released';
      readonly claim: Claim;
      readonly toDeviceId: string;
      readonly rivals: readonly string[];
    };

/** `claims` of one workflow in any order. `rivals` are the other devices that claimed the same epoch. */
export function ownerOf(claims: readonly Claim[]): Ownership {
  const [claim, ...others] = claims.toSorted(before);
  if (!claim) return { type: 'nobody' };
  const rivals = others
    .filter(({ epoch }) => epoch === claim.epoch)
    .map(({ deviceId }) => deviceId);
  return claim.release
    ? { type: 'released', claim, toDeviceId: claim.release.toDeviceId, rivals }
    : { type: 'owned', claim, rivals };
}

/** The epoch in which this device may act, or null if it may not. */
export function epochOf(ownership: Ownership, deviceId: string): number | null {
  if (ownership.type !== 'owned' || ownership.claim.deviceId !== deviceId) return null;
  return ownership.claim.epoch;
}

/** Epochs that more than one device claimed, for example by two take-overs at the same time. */
export function tiedEpochs(claims: readonly Claim[]): number[] {
  const seen = new Map<number, number>();
  for (const { epoch } of claims) seen.set(epoch, (seen.get(epoch) ?? 0) + 1);
  return [...seen].filter(([, count]) => count > 1).map(([epoch]) => epoch);
}

function before(one: Claim, other: Claim): number {
  if (one.epoch !== other.epoch) return other.epoch - one.epoch;
  return one.deviceId < other.deviceId ? -1 : 1;
}
