// Whether this tab has access to the host. A browser needs the access key.
import { createStore, type StoreApi } from 'zustand/vanilla';
import { forgetToken, keepToken, takeToken, type TokenPlaces } from '#renderer/client/token.ts';

export interface TabSessionState {
  readonly token: string | null;
  /** True if the host refused the token. */
  readonly refused: boolean;
}

export interface TabSession extends StoreApi<TabSessionState> {
  enter(token: string): void;
  /** Ignored if the tab has another token by now. */
  refuse(token: string): void;
  /** Takes a token from the URL: a new link may be opened in an existing tab. */
  takeFromAddress(): void;
}

export function createTabSession(places: TokenPlaces): TabSession {
  const store = createStore<TabSessionState>(() => ({ token: takeToken(places), refused: false }));
  return Object.assign(store, {
    enter(token: string) {
      keepToken(token, places.storage);
      store.setState({ token, refused: false });
    },
    refuse(token: string) {
      if (store.getState().token !== token) return;
      forgetToken(places.storage);
      store.setState({ token: null, refused: true });
    },
    takeFromAddress() {
      const token = takeToken(places);
      if (token !== store.getState().token) store.setState({ token, refused: false });
    },
  });
}
