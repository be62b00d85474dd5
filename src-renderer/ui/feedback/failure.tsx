// An error next to its cause: message, problems and optional actions.
import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { ApiError } from '#shared/api/errors.ts';
import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';

interface Props {
  readonly error: ApiError | null;
  /** Adds a button that tries again. */
  readonly onRetry?: () => void;
  readonly children?: ReactNode;
}

/** The live region exists before the error, so that screen readers announce it. */
export function Failure({ error, onRetry, children }: Props) {
  return (
    <div role="alert" className="empty:hidden">
      {error === null ? null : (
        <div className="flex gap-2.5 rounded-md bg-bad-tint px-3 py-2.5 text-[0.8125rem] text-bad">
          <CircleAlert aria-hidden className="mt-px size-4 shrink-0" />
          <div className="grid min-w-0 gap-1.5">
            <p className="wrap-anywhere">{error.message}</p>
            {error.problems.length === 0 ? null : (
              <ul className="list-disc pl-4">
                {error.problems.map((problem) => (
                  <li key={problem} className="wrap-anywhere">
                    {problem}
                  </li>
                ))}
              </ul>
            )}
            {children}
            {onRetry === undefined ? null : (
              <Button size="small" onPress={onRetry} className="justify-self-start">
                {text.app.tryAgain}
              </Button>
            )}
          </div>
        </div>
      )}
    </div>
  );
}
