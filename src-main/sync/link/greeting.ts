// The first frame of each side: its version, and where it can be reached. Read only after the key
// was checked, and within a small limit.
import { z } from 'zod';
import { FrameStream, LinkEnded } from '#main/sync/link/frame-stream.ts';
import type { LinkEnd } from '#main/sync/link/link.ts';
import type { Clock } from '#shared/clock.ts';
import { LINK_HANDSHAKE_MS, MAX_ADDRESS_LENGTH, MAX_PEER_ADDRESSES } from '#shared/limits.ts';
import { linkEnd } from '#shared/sync/link-ends.ts';

export const LINK_VERSION = 1;
const OLDEST_LINK_VERSION = 1;

/** Fields of later versions are passed over: their numbers must stay readable. */
const versionSchema = z.looseObject({ version: z.int().min(1), oldest: z.int().min(1) });
const greetingSchema = versionSchema.extend({
  addresses: z.array(z.string().max(MAX_ADDRESS_LENGTH)).max(MAX_PEER_ADDRESSES),
});

export interface Greeting {
  readonly addresses: readonly string[];
}

export function sendGreeting(stream: FrameStream, { addresses }: Greeting): void {
  const said = { version: LINK_VERSION, oldest: OLDEST_LINK_VERSION, addresses };
  void stream.send('hello', Buffer.from(JSON.stringify(said))).catch(() => undefined);
}

/** Rejects with `LinkEnded`; the stream has ended then. */
export function awaitGreeting(stream: FrameStream, clock: Clock): Promise<Greeting> {
  return new Promise((resolve, reject) => {
    const refuse = (end: LinkEnd): void => {
      stream.close(end);
    };
    const callOff = clock.wakeAt(clock.now() + LINK_HANDSHAKE_MS, () =>
      refuse(linkEnd('handshake-timeout')),
    );
    stream.onEnd((end) => {
      callOff();
      reject(new LinkEnded(end));
    });
    stream.onFrame(async ({ kind, content }) => {
      const greeting = kind === 'hello' ? readGreeting(content) : linkEnd('garbled');
      if ('name' in greeting) return refuse(greeting);
      callOff();
      // What comes next is not read before the one who waits for this has said who listens.
      await new Promise<void>((goOn) => {
        resolve(greeting);
        setImmediate(goOn);
      });
    });
  });
}

function readGreeting(content: Uint8Array): Greeting | LinkEnd {
  const said = parse(content);
  const versions = versionSchema.safeParse(said);
  if (!versions.success) return linkEnd('garbled');
  const { version, oldest } = versions.data;
  if (version < OLDEST_LINK_VERSION || oldest > LINK_VERSION) return linkEnd('version-too-old');
  const greeting = greetingSchema.safeParse(said);
  return greeting.success ? { addresses: greeting.data.addresses } : linkEnd('garbled');
}

function parse(content: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf8', { fatal: true }).decode(content));
  } catch {
    return null;
  }
}
