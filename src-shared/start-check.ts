// Decides whether workflows may run on this device, or wait because its database may have gone back in
// time: after an unclean stop, when an older database was put back, and when another device knows
// more about this one than it does itself. Repeating what is not in the database would repeat effects,
// so the other devices are asked first, for a limited time.

export const ASK_REASONS = ['unclean_stop', 'went_back', 'peer_knows_more'] as const;
export type AskReason = (typeof ASK_REASONS)[number];

/**
 * How long a silent device is waited for. After an unclean stop nothing else hints at a loss, so the
 * time covers two dials and a short catch-up, not more: every power cut costs it. A database that went
 * back waits for a person anyway if nobody answers. A device that knows more is there, and its rows
 * are on their way; it gets as long as a session waits for an answer.
 */
const QUIET_MS: { readonly [reason in AskReason]: number } = {
  unclean_stop: 5000,
  went_back: 30_000,
  peer_knows_more: 60_000,
};

/** A device that keeps sending is waited for this many times longer. */
const MAX_QUIETS = 10;

export interface AskedPeer {
  readonly since: number;
  /** When it last sent something; `since` if it did not. */
  readonly heardAt: number;
  /** Everything it knows is merged here. */
  readonly hasAnswered: boolean;
  /** The peer reported changes of this device that are missing here. */
  readonly knowsMore: boolean;
  /** It had all the work that this device had done before it went back. */
  readonly hadEverything: boolean;
}

export interface StartCheck {
  /** Null: nothing hints at a loss. */
  readonly reason: AskReason | null;
  readonly peers: readonly AskedPeer[];
  /** A person chose not to wait any longer. */
  readonly isSkipped: boolean;
}

export type LaneDecision =
  | { readonly type: 'run' }
  | { readonly type: 'ask_peers'; readonly until: number }
  /** Work of this database may have been done since; a person decides about it. */
  | { readonly type: 'ask_person' };

export function decideLanes({ reason, peers, isSkipped }: StartCheck, now: number): LaneDecision {
  if (reason === null) return { type: 'run' };
  const isComplete = peers.some((peer) => peer.hasAnswered && peer.hadEverything);
  if (reason === 'went_back' && isComplete) return { type: 'run' };
  const waiting = peers.filter(({ hasAnswered }) => !hasAnswered);
  const until = Math.max(0, ...waiting.map((peer) => waitUntil(reason, peer)));
  if (!isSkipped && now < until) return { type: 'ask_peers', until };
  return { type: reason === 'went_back' ? 'ask_person' : 'run' };
}

function waitUntil(reason: AskReason, { since, heardAt, knowsMore }: AskedPeer): number {
  const quiet = QUIET_MS[knowsMore ? 'peer_knows_more' : reason];
  return Math.min(Math.max(since, heardAt) + quiet, since + MAX_QUIETS * quiet);
}
