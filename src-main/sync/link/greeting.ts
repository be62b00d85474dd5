// The first frame of each side: its protocol versions and addresses. Read only after the key was
// checked, and with a small size limit.
import { z } from 'zod';
import { FrameStream, LinkEnded } from '#main/sync/link/frame-stream.ts';
import type { LinkEnd } from '#main/sync/link/link.ts';
import type { Clock } from '#shared/clock.ts';
import { parseExactJson } from '#shared/exact-json.ts';
import { LINK_HANDSHAKE_MS, MAX_ADDRESS_LENGTH, MAX_PEER_ADDRESSES } from '#shared/limits.ts';
import { linkEnd } from '#shared/sync/link-ends.ts';

export const LINK_VERSION = 1;
const OLDEST_LINK_VERSION = 1;

/** Loose, so that the versions of a newer format can still be read. */
const versionSchema = z.looseObject({ version: z.int().min(1), oldest: z.int().min(1) });
const greetingSchema = versionSchema.extend({
  addresses: z.array(z.string().max(MAX_ADDRESS_LENGTH)).max(MAX_PEER_ADDRESSES),
});

export interface Greeting {
  readonly addresses: readonly string[];
}

export function sendGreeting(stream: FrameStream, { addresses }: Greeting): void {
  const greeting = { version: LINK_VERSION, oldest: OLDEST_LINK_VERSION, addresses };
  void stream.send('hello', Buffer.from(JSON.stringify(greeting))).catch(() => undefined);
}

/** Rejects with `LinkEnded` when the stream ends. */
export function awaitGreeting(stream: FrameStream, clock: Clock): Promise<Greeting> {
  return new Promise((resolve, reject) => {
    const refuse = (end: LinkEnd): void => {
      stream.close(end);
    };
    const cancelTimer = clock.wakeAt(clock.now() + LINK_HANDSHAKE_MS, () =>
      refuse(linkEnd('handshake-timeout')),
    );
    stream.onEnd((end) => {
      cancelTimer();
      reject(new LinkEnded(end));
    });
    stream.onFrame(async ({ kind, content }) => {
      const greeting = kind === 'hello' ? readGreeting(content) : linkEnd('garbled');
      if ('name' in greeting) return refuse(greeting);
      cancelTimer();
      // Pauses reading until the caller has set its own frame listener.
      await new Promise<void>((proceed) => {
        resolve(greeting);
        setImmediate(proceed);
      });
    });
  });
}

function readGreeting(content: Uint8Array): Greeting | LinkEnd {
  const json = parse(content);
  const versions = versionSchema.safeParse(json);
  if (!versions.success) return linkEnd('garbled');
  const { version, oldest } = versions.data;
  if (version < OLDEST_LINK_VERSION || oldest > LINK_VERSION) return linkEnd('version-too-old');
  const greeting = greetingSchema.safeParse(json);
  return greeting.success ? { addresses: greeting.data.addresses } : linkEnd('garbled');
}

function parse(content: Uint8Array): unknown {
  try {
    return parseExactJson(new TextDecoder('utf8', { fatal: true }).decode(content));
  } catch {
    return null;
  }
}
