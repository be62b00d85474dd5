// A look into the practice service: what it has of one effect.
import { useState } from 'react';
import type { ApiError } from '#shared/api/errors.ts';
import type { CallOutput } from '#shared/api/contract.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { useAct } from '#renderer/client/use-idempotent-action.ts';

export interface Look {
  look(): void;
  /** Null until looked. */
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
