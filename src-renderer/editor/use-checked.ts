// The host's problems for the typed text. Debounced, one request at a time.
import { useEffect, useState } from 'react';
import type { CallOutput } from '#shared/api/contract.ts';
import { useApp } from '#renderer/app-context.tsx';

export type Checked = CallOutput<'workflows.validate'>;

const REST_MS = 350;

/** Null until the first reply. `isFresh` means it is about the current text. */
export function useChecked(
  text: string | null,
  fileName: string,
): { readonly checked: Checked | null; readonly isFresh: boolean } {
  const { client } = useApp();
  const [known, setKnown] = useState<{ of: string; checked: Checked } | null>(null);
  useEffect(() => {
    if (text === null) return undefined;
    let isOld = false;
    const timer = setTimeout(() => {
      client.call('workflows.validate', { source: text, fileName }).then(
        (checked) => {
          if (!isOld) setKnown({ of: text, checked });
        },
        // The banner shows that the host is gone. Keep the last result.
        () => undefined,
      );
    }, REST_MS);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [client, text, fileName]);
  return { checked: known?.checked ?? null, isFresh: known?.of === text };
}
