// Whether this tab has access to the host. A browser needs the API token.
import { createStore, type StoreApi } from 'zustand/vanilla';
import {
  removeToken,
  storeToken,
  takeTokenFromAddress,
  type TokenEnvironment,
} from '#renderer/client/access-token.ts';

export interface TabSessionState {
  readonly token: string | null;
  /** True if the host refused the token. */
  readonly isRefused: boolean;
}

export interface TabSession extends StoreApi<TabSessionState> {
  enter(token: string): void;
  /** Ignored if the tab has another token by now. */
  refuse(token: string): void;
  /** Takes a token from the URL: a new link may be opened in an existing tab. */
  readTokenFromAddress(): void;
}

export function createTabSession(environment: TokenEnvironment): TabSession {
  const store = createStore<TabSessionState>(() => ({
    token: takeTokenFromAddress(environment),
    isRefused: false,
  }));
  return Object.assign(store, {
    enter(token: string) {
      storeToken(token, environment.storage);
      store.setState({ token, isRefused: false });
    },
    refuse(token: string) {
      if (store.getState().token !== token) return;
      removeToken(environment.storage);
      store.setState({ token: null, isRefused: true });
    },
    readTokenFromAddress() {
      const token = takeTokenFromAddress(environment);
      if (token !== store.getState().token) store.setState({ token, isRefused: false });
    },
  });
}
