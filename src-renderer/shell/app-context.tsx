// Context that every page needs: host client, router, shared stores.
import { createContext, use } from 'react';
import type { HostClient } from '#shared/api/client.ts';
import type { FeedConnection } from '#renderer/client/feed-connection.ts';
import type { Router } from '#renderer/navigation/router.ts';
import type { InboxStore } from '#renderer/stores/inbox-store.ts';

export interface AppServices {
  readonly client: HostClient;
  readonly feed: FeedConnection;
  readonly router: Router;
  /** Browser only: called after the API token was replaced. */
  readonly onNewToken?: (token: string) => void;
}

/** The inbox store stays open for the app's lifetime, because every page shows its count. */
export type AppContextValue = AppServices & { readonly inbox: InboxStore };

export const AppContext = createContext<AppContextValue | null>(null);

export function useApp(): AppContextValue {
  const value = use(AppContext);
  if (!value) throw new Error('A page was rendered outside of the app.');
  return value;
}
