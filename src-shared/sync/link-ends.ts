// Every way in which a link ends or is refused: a name for the log, a sentence for a person.

export const LINK_ENDS = {
  closing: 'The other device was closed. It will be tried again.',
  closed: 'This device ended the link.',
  'connection-lost': 'The connection was lost. It will be tried again.',
  silent: 'The other device has not been heard of for too long. It will be tried again.',
  duplicate: 'The two devices are already linked another way.',
  unreachable:
    'No address of the other device answers. See that it is switched on and in the same network; it will be tried again.',
  'wrong-key':
    'Another device answers at this address: it has another key. Nothing was sent to it.',
  'no-certificate': 'It showed no key. It was refused before anything was read.',
  'unknown-device':
    'The devices are not paired: one does not know the key of the other. Pair them again.',
  unpaired:
    'The pairing was ended on one of the two devices. What was shared stays. Pair again to go on.',
  'wrong-protocol': 'It does not speak the language of Holdfast. It was refused.',
  'version-too-old':
    'The two devices have versions of Holdfast that cannot talk to each other. Update the older one.',
  'handshake-timeout': 'It did not say who it is in time. It was refused.',
  'frame-too-large': 'It sent a frame over the limit. The link was ended.',
  garbled: 'It sent something that is no frame. The link was ended.',
  'listener-failed': 'What it sent could not be handled here. The log has the details.',
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

/** What the other side said as it left. Known names get our own sentence, not theirs. */
export function readGoodbye(content: Uint8Array): NamedEnd {
  try {
    const goodbye = JSON.parse(
      new TextDecoder('utf8', { fatal: true }).decode(content),
    ) as NamedEnd;
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
