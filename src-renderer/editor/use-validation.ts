// The host's problems for the typed text. Debounced, one request at a time.
import { useEffect, useState } from 'react';
import type { CallOutput } from '#shared/api/contract.ts';
import { useApp } from '#renderer/shell/app-context.tsx';

export type Validation = CallOutput<'workflows.validate'>;

const DEBOUNCE_MS = 350;

/** Null until the first reply. `isFresh` means it is about the current text. */
export function useValidation(
  text: string | null,
  fileName: string,
): { readonly validation: Validation | null; readonly isFresh: boolean } {
  const { client } = useApp();
  const [known, setKnown] = useState<{ source: string; validation: Validation } | null>(null);
  useEffect(() => {
    if (text === null) return undefined;
    let isStale = false;
    const timer = setTimeout(() => {
      client.call('workflows.validate', { source: text, fileName }).then(
        (validation) => {
          if (!isStale) setKnown({ source: text, validation });
        },
        // The banner shows that the host is gone. Keep the last result.
        () => undefined,
      );
    }, DEBOUNCE_MS);
    return () => {
      isStale = true;
      clearTimeout(timer);
    };
  }, [client, text, fileName]);
  return { validation: known?.validation ?? null, isFresh: known?.source === text };
}
