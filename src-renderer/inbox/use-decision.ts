// A person's decision on one effect. Each choice keeps one request id while the card is shown, so
// repeated presses and retries after a lost reply count once. A decision can be undone for a few
// seconds, or until a remote owner acts on it.
import { useRef, useState } from 'react';
import type { ApiError } from '#shared/api/errors.ts';
import type { MutationView } from '#shared/api/handler-runs.ts';
import type { Json } from '#shared/json.ts';
import type { Resolution } from '#shared/machines/mutation.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { toApiError } from '#renderer/client/to-api-error.ts';

/** Long enough to notice a mistake, short enough to wait for. */
const GRACE_MS = 5_000;

type Recorded = MutationView['resolutions'][number];

export interface Decision {
  readonly resolution: Resolution;
  readonly note?: string;
  readonly result?: Json;
  /** The person confirmed that it may happen twice. */
  readonly confirmed?: true;
}

export interface DecisionControls {
  decide(decision: Decision): void;
  /** Withdraws a decision that isn't carried out yet. */
  withdraw(): void;
  /** The request in flight. */
  readonly pending: Resolution | 'withdraw' | null;
  /** The host saved it. The ledger shows the result later. */
  readonly recorded: Recorded | null;
  /** Another device was asked to undo it and hasn't replied. */
  readonly isWithdrawalPending: boolean;
  readonly error: ApiError | null;
}

export interface DecisionEvents {
  onRecorded(resolution: Resolution): void;
  onWithdrawn(): void;
}

export function useDecision(mutation: MutationView, events: DecisionEvents): DecisionControls {
  const { client, inbox } = useApp();
  const requestIds = useRef(new Map<Resolution, string>());
  const isInFlight = useRef(false);
  const [pending, setPending] = useState<DecisionControls['pending']>(null);
  const [lastResponse, setLastResponse] = useState<Recorded | null>(null);
  const [isWithdrawalPending, setWithdrawalPending] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  // The ledger also has decisions from other windows. Until it lists ours, the host's reply counts.
  const waiting = mutation.resolutions.find(({ status }) => status === 'waiting') ?? null;
  const isInLedger = mutation.resolutions.some(({ id }) => id === lastResponse?.id);
  const recorded = waiting ?? (isInLedger ? null : lastResponse);

  const requestIdOf = (resolution: Resolution): string => {
    const known = requestIds.current.get(resolution);
    if (known !== undefined) return known;
    const id = crypto.randomUUID();
    requestIds.current.set(resolution, id);
    return id;
  };

  const runExclusively = async (
    what: NonNullable<DecisionControls['pending']>,
    act: () => Promise<void>,
  ) => {
    // A ref, because two presses can come before the next render.
    if (isInFlight.current) return;
    isInFlight.current = true;
    setPending(what);
    setError(null);
    try {
      await act();
    } catch (thrown) {
      setError(toApiError(thrown));
    } finally {
      isInFlight.current = false;
      setPending(null);
    }
  };

  const decide = async (decision: Decision): Promise<void> => {
    const mutationId = mutation.id;
    const requestId = requestIdOf(decision.resolution);
    const asked = { requestId, mutationId, graceMs: GRACE_MS, ...decision };
    setLastResponse(await client.call('inbox.resolve', asked));
    setWithdrawalPending(false);
    events.onRecorded(decision.resolution);
  };

  const withdraw = async (resolutionId: string): Promise<void> => {
    try {
      const { waiting: waits = false } = await client.call('inbox.withdraw', { resolutionId });
      setWithdrawalPending(waits);
      if (waits) return;
      // The next decision needs a new id.
      requestIds.current.clear();
      setLastResponse(null);
      events.onWithdrawn();
    } finally {
      inbox.refresh();
    }
  };

  return {
    decide: (decision) => {
      if (recorded === null) void runExclusively(decision.resolution, () => decide(decision));
    },
    withdraw: () => {
      if (recorded !== null) void runExclusively('withdraw', () => withdraw(recorded.id));
    },
    pending,
    recorded,
    isWithdrawalPending,
    error,
  };
}
