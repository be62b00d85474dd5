// Every reason a link ends or is refused: a name for logs and a sentence for people.
import { parseExactJson } from '#shared/exact-json.ts';

export const LINK_ENDS = {
  closing: 'Holdfast was closed on the other device. This one keeps trying to reconnect.',
  closed: 'This device closed the connection.',
  'connection-lost': 'The connection was lost. This device keeps trying to reconnect.',
  silent: 'The other device stopped responding. This one keeps trying to reconnect.',
  duplicate: 'The two devices already have another connection.',
  unreachable:
    "None of the other device's addresses respond. Make sure it's on and in the same network. This device keeps trying.",
  'wrong-key':
    "A different device answered at this address: its key doesn't match. Nothing was sent to it.",
  'no-certificate': 'It sent no certificate and was refused before anything was read.',
  'unknown-device': "The devices aren't paired: one doesn't know the other's key. Pair them again.",
  unpaired: 'One of the two devices was unpaired. Shared data stays on both.',
  'wrong-protocol': "It doesn't speak Holdfast's protocol and was refused.",
  'version-too-old':
    "The two devices run versions of Holdfast that can't talk to each other. Update the older one.",
  'handshake-timeout': 'The handshake timed out.',
  'frame-too-large': 'It sent a frame over the size limit, so the connection was closed.',
  garbled: 'It sent an invalid frame, so the connection was closed.',
  'went-back':
    'The database of one of the two devices went back to an earlier state. The devices reconnect and exchange the missing changes.',
  'listener-failed': "This device couldn't process what it received. See the log for details.",
} as const;
export type LinkEndName = keyof typeof LINK_ENDS;

export interface NamedEnd {
  readonly name: string;
  readonly message: string;
}

export function linkEnd(name: LinkEndName): NamedEnd {
  return { name, message: LINK_ENDS[name] };
}

const NAME = /^[a-z][a-z0-9-]{0,39}$/;
const MAX_MESSAGE = 300;

/** Reads the peer's reason for closing. A known name gets our own sentence, not the peer's. */
export function readGoodbye(content: Uint8Array): NamedEnd {
  try {
    const goodbye = parseExactJson(
      new TextDecoder('utf8', { fatal: true }).decode(content),
    ) as Partial<NamedEnd>;
    if (typeof goodbye.name !== 'string' || !NAME.test(goodbye.name)) return linkEnd('garbled');
    if (Object.hasOwn(LINK_ENDS, goodbye.name)) return linkEnd(goodbye.name as LinkEndName);
    const message =
      typeof goodbye.message === 'string' ? goodbye.message.slice(0, MAX_MESSAGE) : '';
    return { name: goodbye.name, message: message.replaceAll(/\p{Cc}+/gu, ' ') };
  } catch {
    return linkEnd('garbled');
  }
}

export function writeGoodbye({ name, message }: NamedEnd): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ name, message: message.slice(0, MAX_MESSAGE) }));
}
