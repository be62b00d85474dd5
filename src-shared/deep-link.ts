// Deep links such as holdfast://run/ID that open a page of the app. Anyone can write one, so a link
// only navigates and never performs an action.
import { MAX_LINK_LENGTH, parsePairingLink } from '#shared/sync/pairing/link.ts';

export const DEEP_LINK_SCHEME = 'holdfast';

const PREFIX = `${DEEP_LINK_SCHEME}://`;
const SHAPE = /^([a-z]+)(?:\/([^/?#]*))?\/?$/;
const ID = /^[\w.:-]{1,200}$/;

const PLACES: { readonly [kind: string]: string } = {
  inbox: '/inbox',
  workflows: '/workflows',
  inputs: '/inputs',
  runs: '/runs',
  sessions: '/sessions',
  jobs: '/jobs',
  scripts: '/scripts',
  // The host serves /metrics to monitoring tools, so the page has another path.
  metrics: '/activity',
  devices: '/devices',
  settings: '/settings',
};

const THINGS: { readonly [kind: string]: (id: string) => string } = {
  input: (id) => `/inputs/${id}`,
  run: (id) => `/runs/${id}`,
  session: (id) => `/sessions/${id}`,
  job: (id) => `/jobs/${id}`,
  script: (id) => `/scripts/${id}`,
  workflow: (id) => `/workflows/${id}`,
  settings: (id) => `/settings/${id}`,
};

/** The path within the app, or null if it is not a valid deep link. */
export function parseDeepLink(link: string): string | null {
  const text = link.trim();
  if (!text.toLowerCase().startsWith(PREFIX) || text.length > MAX_LINK_LENGTH) return null;
  if (/^holdfast:\/\/pair\?/i.test(text)) {
    const isReadable = parsePairingLink(text) !== 'bad-link';
    return isReadable ? `/devices/join?link=${encodeURIComponent(text)}` : null;
  }
  const [, kind = '', part = ''] = SHAPE.exec(text.slice(PREFIX.length)) ?? [];
  if (part === '') return own(PLACES, kind) ?? null;
  const id = decode(part);
  const place = own(THINGS, kind);
  return id !== null && ID.test(id) && place ? place(encodeURIComponent(id)) : null;
}

/** The path of the last deep link among the app's command-line arguments. */
export function findDeepLink(argv: readonly string[]): string | null {
  const link = argv.findLast((word) => word.toLowerCase().startsWith(PREFIX));
  return link === undefined ? null : parseDeepLink(link);
}

function own<Value>(map: { readonly [key: string]: Value }, key: string): Value | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
