// Whether this tab may talk to the host: in a browser only with its key.
import { createStore, type StoreApi } from 'zustand/vanilla';
import {
  forgetToken,
  keepToken,
  takeToken,
  type TokenPlaces,
} from '#renderer/client/access-token.ts';

export interface TabSessionState {
  readonly token: string | null;
  /** The host did not accept the token that was there. */
  readonly refused: boolean;
}

export interface TabSession extends StoreApi<TabSessionState> {
  enter(token: string): void;
  /** The host refused this token; another one may have come since. */
  refuse(token: string): void;
  /** A link with another token may be opened in a tab that is already here. */
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
