// A look into the practice service: what it has of one effect.
import { useState } from 'react';
import type { ApiError } from '#shared/api/errors.ts';
import type { CallOutput } from '#shared/api/contract.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { useIdempotentAction } from '#renderer/client/use-idempotent-action.ts';

export interface Look {
  look(): void;
  /** Null until looked. */
  readonly seen: CallOutput<'practice.look'>['done'] | null;
  readonly isPending: boolean;
  readonly error: ApiError | null;
}

export function useLook(effectId: string): Look {
  const { client } = useApp();
  const [seen, setSeen] = useState<Look['seen']>(null);
  const { perform, isPending, error } = useIdempotentAction({
    idFor: 'click',
    action: () => client.call('practice.look', { effectId }),
    onDone: ({ done }) => setSeen(done),
  });
  return { look: perform, seen, isPending, error };
}
