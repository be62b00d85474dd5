// Context that every page needs: host client, router, shared stores.
import { createContext, use } from 'react';
import type { HostClient } from '#shared/api/client.ts';
import type { Live } from '#renderer/live.ts';
import type { Router } from '#renderer/router.ts';
import type { InboxStore } from '#renderer/stores/inbox.ts';

export interface AppParts {
  readonly client: HostClient;
  readonly live: Live;
  readonly router: Router;
  /** Browser only: called after the access key was replaced. */
  readonly onNewToken?: (token: string) => void;
}

/** The inbox store stays open for the app's lifetime, because every page shows its count. */
export type SharedParts = AppParts & { readonly inbox: InboxStore };

export const AppContext = createContext<SharedParts | null>(null);

export function useApp(): SharedParts {
  const parts = use(AppContext);
  if (!parts) throw new Error('A page was rendered outside of the app.');
  return parts;
}
