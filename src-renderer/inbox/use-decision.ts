// What a person decides about one effect. Each choice has one id for as long as the card is there,
// so pressing it twice, or again after a lost answer, is one decision. For a few seconds it can be
// taken back; elsewhere, until the device that runs the workflow has heard of it.
import { useRef, useState } from 'react';
import type { ApiError } from '#shared/api/errors.ts';
import type { MutationView } from '#shared/api/handler-runs.ts';
import type { Json } from '#shared/json.ts';
import type { Resolution } from '#shared/machines/mutation.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { toApiError } from '#renderer/client/to-api-error.ts';

/** Long enough to see what one has done; short enough to wait for. */
const GRACE_MS = 5_000;

type Recorded = MutationView['resolutions'][number];

export interface Decision {
  readonly resolution: Resolution;
  readonly note?: string;
  readonly result?: Json;
  /** The person was told that it may happen twice. */
  readonly confirmed?: true;
}

export interface Deciding {
  decide(decision: Decision): void;
  /** Takes back what waits to be carried out. */
  takeBack(): void;
  /** Being asked of the host now. */
  readonly pending: Resolution | 'take_back' | null;
  /** The host has it; what comes of it is for the ledger to say. */
  readonly recorded: Recorded | null;
  /** Another device was asked to take it back, and has not answered. */
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
  // The ledger knows of decisions that were made in another window; here the newest answer counts
  // until it says more.
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
    // State would be too late: two presses can come before the next render.
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
      // A new decision is another one, with an id of its own.
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
