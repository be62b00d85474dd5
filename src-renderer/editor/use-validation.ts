// What the host says of a text as it is being typed: asked when the typing rests, one at a time.
import { useEffect, useState } from 'react';
import type { CallOutput } from '#shared/api/contract.ts';
import { useApp } from '#renderer/shell/app-context.tsx';

export type Checked = CallOutput<'workflows.validate'>;

const REST_MS = 350;

/** Null until the first answer. `isFresh`: it is about this very text. */
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
        // The banner says that the host is gone; what is known stays.
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
