// Asks the practice service which effects it has.
import { useState } from 'react';
import type { ApiError } from '#shared/api/errors.ts';
import type { CallOutput } from '#shared/api/contract.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { useIdempotentAction } from '#renderer/client/use-idempotent-action.ts';

export interface PracticeLookup {
  lookUp(): void;
  /** Null until checked. */
  readonly found: CallOutput<'practice.look'>['done'] | null;
  readonly isPending: boolean;
  readonly error: ApiError | null;
}

export function usePracticeLookup(effectId: string): PracticeLookup {
  const { client } = useApp();
  const [found, setFound] = useState<PracticeLookup['found']>(null);
  const { perform, isPending, error } = useIdempotentAction({
    idFor: 'click',
    action: () => client.call('practice.look', { effectId }),
    onDone: ({ done }) => setFound(done),
  });
  return { lookUp: perform, found, isPending, error };
}
