// The key of the host, in a browser. It comes in the address's fragment, which browsers do not
// send anywhere, and leaves it at once: an address is shown, shared and kept in histories. From
// then on it lives in the tab's session storage and nowhere else.

const STORAGE_KEY = 'holdfast.token';
/** What both an Authorization header and a WebSocket subprotocol can carry. */
const TOKEN = /^[A-Za-z0-9._~-]{8,512}$/;

export interface TokenEnvironment {
  readonly location: Pick<Location, 'hash' | 'pathname' | 'search'>;
  readonly history: Pick<History, 'replaceState' | 'state'>;
  readonly storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
}

/** The token of the address, which is taken out of it, else the one this tab already has. */
export function takeTokenFromAddress({
  location,
  history,
  storage,
}: TokenEnvironment): string | null {
  if (!location.hash.startsWith('#token=')) return storage.getItem(STORAGE_KEY);
  const token = parseToken(location.hash);
  history.replaceState(history.state, '', location.pathname + location.search);
  if (token !== null) storage.setItem(STORAGE_KEY, token);
  return token ?? storage.getItem(STORAGE_KEY);
}

/** From what a person pasted: the whole link, its fragment, or the token alone. */
export function parseToken(pasted: string): string | null {
  const text = pasted.trim();
  const fragment = /#token=(.*)$/.exec(text)?.[1];
  const token = fragment === undefined ? text : decode(fragment);
  return TOKEN.test(token) ? token : null;
}

export function storeToken(token: string, storage: TokenEnvironment['storage']): void {
  storage.setItem(STORAGE_KEY, token);
}

export function removeToken(storage: TokenEnvironment['storage']): void {
  storage.removeItem(STORAGE_KEY);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
