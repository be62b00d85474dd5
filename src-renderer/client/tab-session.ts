// Whether this tab may talk to the host: in a browser only with its key.
import { createStore, type StoreApi } from 'zustand/vanilla';
import {
  removeToken,
  storeToken,
  takeTokenFromAddress,
  type TokenEnvironment,
} from '#renderer/client/access-token.ts';

export interface TabSessionState {
  readonly token: string | null;
  /** The host did not accept the token that was there. */
  readonly isRefused: boolean;
}

export interface TabSession extends StoreApi<TabSessionState> {
  enter(token: string): void;
  /** The host refused this token; another one may have come since. */
  refuse(token: string): void;
  /** A link with another token may be opened in a tab that is already here. */
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
