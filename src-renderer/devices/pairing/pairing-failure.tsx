// Why pairing failed: message, next step and reason code.
import type { ReactNode } from 'react';
import { ApiError } from '#shared/api/errors.ts';
import { isPairingFailure, PAIRING_FAILURES } from '#shared/sync/pairing/failures.ts';
import { text } from '#renderer/text/text.ts';
import { Failure } from '#renderer/ui/feedback/failure.tsx';

interface Props {
  readonly error: ApiError | null;
  readonly children?: ReactNode;
}

export function PairingFailure({ error, children }: Props) {
  const reason = error?.reason ?? '';
  if (error === null || !isPairingFailure(reason)) {
    return <Failure error={error}>{children}</Failure>;
  }
  const { message, next } = PAIRING_FAILURES[reason];
  return (
    <Failure error={new ApiError({ type: error.type, message })}>
      <p>
        <span className="font-semibold">{text.pairing.nextStep}</span> {next}
      </p>
      <p className="font-mono text-xs">{text.pairing.reason(reason)}</p>
      {children}
    </Failure>
  );
}
