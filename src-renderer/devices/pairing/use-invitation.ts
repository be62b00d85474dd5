// Keeps one invitation open, so that reopening the page shows the same link.
import { useCallback, useRef, useState } from 'react';
import type { HostClient } from '#shared/api/client.ts';
import type { CallOutput } from '#shared/api/contract.ts';
import type { ApiError } from '#shared/api/errors.ts';
import { toApiError } from '#renderer/client/to-api-error.ts';

interface InvitationState {
  readonly invitation: CallOutput<'devices.invite'> | null;
  readonly error: ApiError | null;
  readonly invite: () => void;
}

export function useInvitation(client: HostClient): InvitationState {
  const [invitation, setInvitation] = useState<CallOutput<'devices.invite'> | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const isRequesting = useRef(false);
  const invite = useCallback(() => {
    // React may mount twice, and people press twice. Each request would leave an open invitation.
    if (isRequesting.current) return;
    isRequesting.current = true;
    setError(null);
    client
      .call('devices.invite', {})
      .then(setInvitation, (thrown: unknown) => setError(toApiError(thrown)))
      .finally(() => {
        isRequesting.current = false;
      });
  }, [client]);
  return { invitation, error, invite };
}
