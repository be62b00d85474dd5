// Asks the practice service which effects it has.
import { useState } from 'react';
import type { ApiError } from '#shared/api/errors.ts';
import type { CallOutput } from '#shared/api/contract.ts';
import { useApp } from '#renderer/app-context.tsx';
import { useAct } from '#renderer/use-act.ts';

export interface Look {
  look(): void;
  /** Null until checked. */
  readonly seen: CallOutput<'practice.look'>['done'] | null;
  readonly pending: boolean;
  readonly error: ApiError | null;
}

export function useLook(effectId: string): Look {
  const { client } = useApp();
  const [seen, setSeen] = useState<Look['seen']>(null);
  const { perform, pending, error } = useAct({
    idFor: 'click',
    act: () => client.call('practice.look', { effectId }),
    onDone: ({ done }) => setSeen(done),
  });
  return { look: perform, seen, pending, error };
}
