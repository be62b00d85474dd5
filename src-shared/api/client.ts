// The client of the host, over Electron IPC or HTTP.
import type { CallInput, CallName, CallOutput } from '#shared/api/contract.ts';
import type { FeedMessage } from '#shared/api/feed.ts';

export type ConnectionState = 'connecting' | 'open' | 'closed';

export interface HostClient {
  /** Resolves with the output; rejects with an `ApiError`. */
  call<Name extends CallName>(name: Name, input: CallInput<Name>): Promise<CallOutput<Name>>;
  /** Calls `onMessage` for each message until the returned function is called. */
  subscribe(
    onMessage: (message: FeedMessage) => void,
    onState?: (state: ConnectionState) => void,
  ): () => void;
}
