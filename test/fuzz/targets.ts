// The decoders of data that others send, each with a property that must hold for any bytes.
import { deepStrictEqual } from 'node:assert/strict';
import type { Target } from '#test/fuzz/fuzz.ts';
import { decodeChangeSet } from '#main/sync/changes/decode.ts';
import { encodeChangeSet } from '#main/sync/changes/encode.ts';
import { Refused } from '#main/sync/changes/refused.ts';
import type { SyncSchema } from '#main/sync/changes/sync-schema.ts';
import type { Change } from '#main/sync/changes/change.ts';
import { decodeControl, encodeControl } from '#main/sync/session/control-messages.ts';
import { FrameDecoder, type Frame } from '#shared/sync/frames.ts';
import { encodeFrame } from '#test/support/encode-frame.ts';
import { parsePairingLink } from '#shared/sync/pairing/link.ts';
import { decodeMessage } from '#shared/sync/pairing/messages.ts';

const MAX_FRAME_BYTES = 4096;

export function targetsFor(schema: SyncSchema): Target[] {
  return [frames, changesOf(schema), controlMessages, pairing, links];
}

const json = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));

/** Decoded frames and errors do not depend on how the network splits the bytes. */
const frames: Target = {
  name: 'frames',
  paths: ['/src-shared/sync/frames'],
  corpus: [
    Buffer.concat([
      encodeFrame('hello', Buffer.from('hello')),
      encodeFrame('data', new Uint8Array(300)),
      encodeFrame('ping', new Uint8Array()),
      encodeFrame('goodbye', Buffer.from('x')),
    ]),
  ],
  check: (input) =>
    deepStrictEqual(
      decodeFrames(input, 1 + ((input[0] ?? 0) % 7)),
      decodeFrames(input, input.length),
    ),
};

function decodeFrames(input: Uint8Array, step: number): readonly (Frame | string)[] {
  const decoder = new FrameDecoder(MAX_FRAME_BYTES);
  const taken: (Frame | string)[] = [];
  for (let at = 0; at < input.length; at += Math.max(step, 1)) {
    decoder.push(input.subarray(at, at + Math.max(step, 1)));
    for (let one = decoder.take(); one !== null; one = decoder.take()) {
      taken.push(typeof one === 'string' ? one : { ...one, content: Uint8Array.from(one.content) });
      if (typeof one === 'string') return taken;
    }
  }
  return taken;
}

/** Bytes are refused, or decode to a change set that encodes and decodes to itself. */
function changesOf(schema: SyncSchema): Target {
  const site = new Uint8Array(16).fill(7);
  const key = Buffer.concat([Buffer.of(1, 11, 3), Buffer.from('abc')]);
  const change = (column: string, value: Change['value'], table = 'events'): Change => ({
    table,
    key,
    column,
    value,
    columnVersion: 1,
    causalLength: 1,
    site,
  });
  const set = (changes: Change[]): Uint8Array =>
    encodeChangeSet({ after: 3, upTo: 4, part: 0, isLast: true, changes });
  return {
    name: 'changes',
    paths: ['/src-main/sync/changes/'],
    corpus: [
      set([change('facts', '{"topic_id":"t"}'), change('progress', '{"status":"pending"}')]),
      set([change('-1', null, 'workflows'), change('definition', '{}', 'workflows')]),
      set([]),
    ],
    check: (input) => {
      try {
        const decoded = decodeChangeSet(input, schema);
        deepStrictEqual(decodeChangeSet(encodeChangeSet(decoded), schema), decoded);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
      }
    },
  };
}

const controlMessages: Target = {
  name: 'control-messages',
  paths: ['/src-main/sync/session/control-messages'],
  corpus: [
    encodeControl({ type: 'bye' } as never),
    Buffer.concat([
      Buffer.of(1),
      json({ type: 'hello', protocol: 1, schema: 19, deviceId: 'd', spaceId: 's' }),
    ]),
  ],
  check: (input) => {
    try {
      decodeControl(input);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
    }
  },
};

const pairing: Target = {
  name: 'pairing',
  paths: ['/src-shared/sync/pairing/'],
  corpus: [
    json({ type: 'hello', version: 1, oldest: 1, by: 'link', name: 'Laptop', addresses: [] }),
    json({ type: 'refuse', reason: 'expired' }),
  ],
  check: (input) => void decodeMessage(input),
};

const links: Target = {
  name: 'links',
  paths: ['/src-shared/sync/'],
  corpus: [Buffer.from('holdfast://pair/1/abc?token=def&at=127.0.0.1:4000')],
  check: (input) => void parsePairingLink(Buffer.from(input).toString('latin1')),
};
