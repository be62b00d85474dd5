// Decides from its hello whether a peer can sync with this device, and if not, why.
import {
  PROTOCOL_VERSION,
  type ReceivedControl,
  type Hello,
} from '#main/sync/session/control-messages.ts';
import type { SessionEnd } from '#shared/sync/session.ts';

export interface LocalIdentity {
  readonly deviceId: string;
  readonly spaceId: string;
  /** Hex. */
  readonly site: string;
  readonly schemaVersion: number;
  readonly schemaFingerprint: string;
}

export type Greeting =
  | { readonly type: 'welcome'; readonly hello: Hello }
  | { readonly type: 'versions-differ'; readonly who: 'us' | 'peer'; readonly message: string }
  | { readonly type: 'refused'; readonly end: SessionEnd };

export function judgeHello(message: ReceivedControl, peerId: string, us: LocalIdentity): Greeting {
  if (message.type === 'foreign-hello') return differ(message.protocol, PROTOCOL_VERSION);
  if (message.type !== 'hello') {
    return refused(
      'no-hello',
      'The other device did not start with a hello. Nothing was synced. Try again.',
    );
  }
  if (message.device !== peerId) {
    return refused(
      'wrong-device',
      "The other device claims an identity that its key doesn't prove. Nothing was synced. Pair the devices again.",
    );
  }
  if (message.device === us.deviceId || message.site === us.site) {
    return refused(
      'same-device',
      'The other device has the identity of this one, because its data folder is a copy. Nothing was synced. Restart Holdfast there, then pair the devices.',
    );
  }
  if (message.space !== us.spaceId) {
    return refused(
      'other-space',
      'The other device belongs to another space. Nothing was synced. Pair the devices to join one space.',
    );
  }
  if (message.fingerprint !== us.schemaFingerprint) return differ(message.schema, us.schemaVersion);
  return { type: 'welcome', hello: message };
}

function differ(theirs: number, ours: number): Greeting {
  const who = theirs > ours ? 'us' : 'peer';
  const device = who === 'us' ? 'this device' : 'the other device';
  return {
    type: 'versions-differ',
    who,
    message: `Holdfast on ${device} is older. Both devices keep working and keep their changes. Update it to sync again.`,
  };
}

function refused(name: string, message: string): Greeting {
  return { type: 'refused', end: { name, message } };
}
