// Dials a device for pairing. If its id is known, a device with another key is refused.
import { FrameStream } from '#main/sync/link/frame-stream.ts';
import { dialSecurely, type OpenKey } from '#main/sync/link/secure-socket.ts';
import type { Clock } from '#shared/clock.ts';
import { parseAddress } from '#shared/sync/address.ts';
import type { KeyName } from '#shared/sync/device-id.ts';
import { MAX_GREETING_BYTES } from '#shared/limits.ts';
import type { PairingFailure } from '#shared/sync/pairing/failures.ts';

export interface Dialled {
  readonly stream: FrameStream;
  readonly peer: KeyName;
}

export async function dialForPairing(
  { key, clock }: { readonly key: OpenKey; readonly clock: Clock },
  text: string,
  expectedId?: string,
): Promise<Dialled | PairingFailure> {
  const address = parseAddress(text);
  if (!address) return 'unreachable';
  const never = new AbortController().signal;
  const dialled = await dialSecurely(key, address, 'pairing', never).catch(() => null);
  if (!dialled) return 'unreachable';
  const { socket, peer } = dialled;
  const refuse = (why: PairingFailure): PairingFailure => {
    socket.destroy();
    return why;
  };
  if (peer === null) return refuse('unreachable');
  if (peer.deviceId === key.deviceId) return refuse('same-device');
  if (expectedId !== undefined && peer.deviceId !== expectedId) return refuse('wrong-device');
  return { stream: new FrameStream(socket, clock, MAX_GREETING_BYTES), peer };
}
