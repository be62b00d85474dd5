// What went wrong, beside what caused it: the host's sentence, its problems, and a way on.
import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { ApiError } from '#shared/api/errors.ts';

interface Props {
  readonly error: ApiError | null;
  readonly children?: ReactNode;
}

/** The live region is there before the error is, so that the error is read out when it comes. */
export function Failure({ error, children }: Props) {
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
          </div>
        </div>
      )}
    </div>
  );
}
