// What every page needs, handed down once.
import { createContext, use } from 'react';
import type { HostClient } from '#shared/api/client.ts';
import type { FeedConnection } from '#renderer/client/feed-connection.ts';
import type { Router } from '#renderer/navigation/router.ts';
import type { InboxStore } from '#renderer/stores/inbox-store.ts';

export interface AppServices {
  readonly client: HostClient;
  readonly feed: FeedConnection;
  readonly router: Router;
  /** In a browser: the host has another key from now on. */
  readonly onNewToken?: (token: string) => void;
}

/** The inbox is open as long as the app is: its count is shown on every page. */
export type AppContextValue = AppServices & { readonly inbox: InboxStore };

export const AppContext = createContext<AppContextValue | null>(null);

export function useApp(): AppContextValue {
  const value = use(AppContext);
  if (!value) throw new Error('A page was rendered outside of the app.');
  return value;
}
