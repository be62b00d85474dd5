// A person's decision on one effect. Each choice keeps one request id while the card is shown, so
// repeated presses and retries after a lost reply count once. A decision can be undone for a few
// seconds, or until a remote owner acts on it.
import { useRef, useState } from 'react';
import type { ApiError } from '#shared/api/errors.ts';
import type { MutationView } from '#shared/api/handler-runs.ts';
import type { Json } from '#shared/json.ts';
import type { Resolution } from '#shared/machines/mutation.ts';
import { useApp } from '#renderer/app-context.tsx';
import { toApiError } from '#renderer/stores/api-failure.ts';

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

export interface Deciding {
  decide(decision: Decision): void;
  /** Withdraws a decision that isn't carried out yet. */
  takeBack(): void;
  /** The request in flight. */
  readonly pending: Resolution | 'take_back' | null;
  /** The host saved it. The ledger shows the result later. */
  readonly recorded: Recorded | null;
  /** Another device was asked to undo it and hasn't replied. */
  readonly isAskedBack: boolean;
  readonly error: ApiError | null;
}

export interface DecisionEvents {
  onRecorded(resolution: Resolution): void;
  onTakenBack(): void;
}

export function useDecision(mutation: MutationView, events: DecisionEvents): Deciding {
  const { client, inbox } = useApp();
  const requestIds = useRef(new Map<Resolution, string>());
  const inFlight = useRef(false);
  const [pending, setPending] = useState<Deciding['pending']>(null);
  const [answered, setAnswered] = useState<Recorded | null>(null);
  const [isAskedBack, setAskedBack] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  // The ledger also has decisions from other windows. Until it lists ours, the host's reply counts.
  const waiting = mutation.resolutions.find(({ status }) => status === 'waiting') ?? null;
  const isTold = mutation.resolutions.some(({ id }) => id === answered?.id);
  const recorded = waiting ?? (isTold ? null : answered);

  const requestIdOf = (resolution: Resolution): string => {
    const known = requestIds.current.get(resolution);
    if (known !== undefined) return known;
    const id = crypto.randomUUID();
    requestIds.current.set(resolution, id);
    return id;
  };

  const ask = async (what: NonNullable<Deciding['pending']>, act: () => Promise<void>) => {
    // A ref, because two presses can come before the next render.
    if (inFlight.current) return;
    inFlight.current = true;
    setPending(what);
    setError(null);
    try {
      await act();
    } catch (thrown) {
      setError(toApiError(thrown));
    } finally {
      inFlight.current = false;
      setPending(null);
    }
  };

  const decide = async (decision: Decision): Promise<void> => {
    const mutationId = mutation.id;
    const requestId = requestIdOf(decision.resolution);
    const asked = { requestId, mutationId, graceMs: GRACE_MS, ...decision };
    setAnswered(await client.call('inbox.resolve', asked));
    setAskedBack(false);
    events.onRecorded(decision.resolution);
  };

  const takeBack = async (resolutionId: string): Promise<void> => {
    try {
      const { waiting: waits = false } = await client.call('inbox.withdraw', { resolutionId });
      setAskedBack(waits);
      if (waits) return;
      // The next decision needs a new id.
      requestIds.current.clear();
      setAnswered(null);
      events.onTakenBack();
    } finally {
      inbox.refresh();
    }
  };

  return {
    decide: (decision) => {
      if (recorded === null) void ask(decision.resolution, () => decide(decision));
    },
    takeBack: () => {
      if (recorded !== null) void ask('take_back', () => takeBack(recorded.id));
    },
    pending,
    recorded,
    isAskedBack,
    error,
  };
}
