// The host's API token in a browser. It arrives in the URL fragment, which browsers never send,
// and is removed immediately, because URLs are visible and end up in history. After that it is only
// in the tab's session storage.

const STORAGE_KEY = 'holdfast.token';
/** Characters allowed in both an Authorization header and a WebSocket subprotocol. */
const TOKEN = /^[A-Za-z0-9._~-]{8,512}$/;

export interface TokenEnvironment {
  readonly location: Pick<Location, 'hash' | 'pathname' | 'search'>;
  readonly history: Pick<History, 'replaceState' | 'state'>;
  readonly storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
}

/** Takes the token out of the URL, or returns the one this tab already has. */
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

/** Reads a token from pasted text: the whole link, its fragment or the token alone. */
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
