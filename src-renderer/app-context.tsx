// What every page needs, handed down once.
import { createContext, use } from 'react';
import type { HostClient } from '#shared/api/client.ts';
import type { Live } from '#renderer/live.ts';
import type { Router } from '#renderer/router.ts';

export interface AppParts {
  readonly client: HostClient;
  readonly live: Live;
  readonly router: Router;
}

export const AppContext = createContext<AppParts | null>(null);

export function useApp(): AppParts {
  const parts = use(AppContext);
  if (!parts) throw new Error('A page was rendered outside of the app.');
  return parts;
}
