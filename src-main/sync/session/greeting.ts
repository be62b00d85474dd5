// Whether two devices that just said hello can exchange changes, and if not, why.
import {
  PROTOCOL_VERSION,
  type ReadNote,
  type Hello,
} from '#main/sync/session/control-messages.ts';
import type { SessionEnd } from '#shared/sync/session.ts';

export interface Ourselves {
  readonly deviceId: string;
  readonly spaceId: string;
  /** Hex. */
  readonly site: string;
  readonly schemaVersion: number;
}

export type Greeting =
  | { readonly type: 'welcome'; readonly hello: Hello }
  | { readonly type: 'versions-differ'; readonly who: 'us' | 'peer'; readonly message: string }
  | { readonly type: 'unwelcome'; readonly end: SessionEnd };

export function judgeHello(note: ReadNote, peerId: string, us: Ourselves): Greeting {
  if (note.type === 'foreign-hello') return differ(note.protocol, PROTOCOL_VERSION);
  if (note.type !== 'hello') {
    return unwelcome('no-hello', 'The other device did not greet first. Try again.');
  }
  if (note.device !== peerId) {
    return unwelcome(
      'wrong-device',
      'The device at the other end says it is another one than its key proves. Nothing was exchanged. Pair them anew.',
    );
  }
  if (note.device === us.deviceId || note.site === us.site) {
    return unwelcome(
      'same-device',
      'The other device has the identity of this one: its data folder is a copy. Nothing was exchanged. Restart Holdfast there, then pair them.',
    );
  }
  if (note.space !== us.spaceId) {
    return unwelcome(
      'other-space',
      'The other device belongs to another group of devices. Nothing was exchanged. Pair them to join their groups.',
    );
  }
  if (note.schema !== us.schemaVersion) return differ(note.schema, us.schemaVersion);
  return { type: 'welcome', hello: note };
}

function differ(theirs: number, ours: number): Greeting {
  const who = theirs > ours ? 'us' : 'peer';
  const device = who === 'us' ? 'this device' : 'the other device';
  return {
    type: 'versions-differ',
    who,
    message: `Holdfast on ${device} is older. Both go on alone and keep their changes. Update it, and they will sync again.`,
  };
}

function unwelcome(name: string, message: string): Greeting {
  return { type: 'unwelcome', end: { name, message } };
}
