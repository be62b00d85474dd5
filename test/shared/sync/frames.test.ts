// The frame decoder with arbitrary input.
import { describe, expect, it as plainIt } from 'vitest';
import { fc, it } from '@fast-check/vitest';
import {
  encodeHead,
  FRAME_KINDS,
  FrameDecoder,
  type Frame,
  type FrameKind,
} from '#shared/sync/frames.ts';
import { encodeFrame } from '#test/support/encode-frame.ts';

const LIMIT = 300_000;

const frame = fc.record({
  kind: fc.constantFrom(...(Object.keys(FRAME_KINDS) as FrameKind[])),
  content: fc.oneof(
    { weight: 5, arbitrary: fc.uint8Array({ maxLength: 50 }) },
    fc.nat(LIMIT).map((length) => new Uint8Array(length).fill(length % 251)),
  ),
});

function takeAll(decoder: FrameDecoder): { frames: Frame[]; flaw: string | null } {
  const frames: Frame[] = [];
  for (;;) {
    const next = decoder.take();
    if (next === null || typeof next === 'string') return { frames, flaw: next };
    frames.push({ kind: next.kind, content: Uint8Array.from(next.content) });
  }
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(Buffer.concat(parts));
}

/** Splits the bytes at these positions. */
function inPieces(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length];
  const sorted = at.toSorted((a, b) => a - b);
  return sorted.slice(1).map((end, index) => bytes.subarray(sorted[index], end));
}

describe('frames', () => {
  plainIt(
    '[LK-1] a raised limit applies to the next frame, even if its bytes arrived before',
    () => {
      const decoder = new FrameDecoder(1);
      decoder.push(
        join([encodeFrame('hello', Uint8Array.of(1)), encodeFrame('data', new Uint8Array(9))]),
      );
      expect(decoder.take()).toMatchObject({ kind: 'hello' });
      decoder.maxContent = 9;
      expect(decoder.take()).toMatchObject({ kind: 'data' });
    },
  );

  it.prop([fc.array(frame, { maxLength: 8 }), fc.array(fc.nat(2_000_000), { maxLength: 30 })])(
    '[LK-1] decodes the encoded frames for any chunk boundaries',
    (frames, cuts) => {
      const bytes = join(frames.map(({ kind, content }) => encodeFrame(kind, content)));
      const decoder = new FrameDecoder(LIMIT);
      const taken: Frame[] = [];
      for (const piece of inPieces(bytes, cuts)) {
        decoder.push(piece);
        const { frames: some, flaw } = takeAll(decoder);
        expect(flaw).toBeNull();
        taken.push(...some);
      }
      expect(taken).toEqual(frames);
    },
  );

  it.prop([fc.uint8Array({ maxLength: 2000 }), fc.array(fc.nat(2000), { maxLength: 10 })])(
    '[LK-1] any bytes give frames within the limit, an error or nothing, for any chunk boundaries',
    (bytes, cuts) => {
      const whole = new FrameDecoder(64);
      whole.push(bytes);
      const expected = takeAll(whole);
      for (const { content } of expected.frames) expect(content.length).toBeLessThanOrEqual(64);
      const cut = new FrameDecoder(64);
      const frames: Frame[] = [];
      let flaw: string | null = null;
      for (const piece of inPieces(bytes, cuts)) {
        cut.push(piece);
        const taken = takeAll(cut);
        frames.push(...taken.frames);
        ({ flaw } = taken);
      }
      expect({ frames, flaw }).toEqual(expected);
    },
  );

  it.prop([fc.array(frame, { maxLength: 3 }), fc.nat(2_000_000), fc.uint8Array({ minLength: 1 })])(
    '[LK-1] frames before an error are returned, and none after it',
    (frames, _, more) => {
      const bytes = join([
        ...frames.map(({ kind, content }) => encodeFrame(kind, content)),
        encodeHead('data', LIMIT + 1),
        more,
      ]);
      const decoder = new FrameDecoder(LIMIT);
      decoder.push(bytes);
      decoder.push(encodeFrame('ping', more));
      expect(takeAll(decoder)).toEqual({ frames, flaw: 'frame-too-large' });
      expect(decoder.take()).toBe('frame-too-large');
    },
  );

  plainIt('[LK-2] a length over the limit is refused after four bytes', () => {
    for (const length of [LIMIT + 1, 2 ** 30, 2 ** 32 - 2]) {
      const decoder = new FrameDecoder(LIMIT);
      decoder.push(encodeHead('data', length).subarray(0, 4));
      expect(decoder.take()).toBe('frame-too-large');
    }
    const fitting = new FrameDecoder(LIMIT);
    fitting.push(encodeHead('data', LIMIT));
    expect(fitting.take()).toBeNull();
  });

  plainIt('[LK-2] a zero length and an unknown kind are garbled', () => {
    const empty = new FrameDecoder(LIMIT);
    empty.push(new Uint8Array(4));
    expect(empty.take()).toBe('garbled');
    const unknown = new FrameDecoder(LIMIT);
    unknown.push(Uint8Array.of(0, 0, 0, 1, 99));
    expect(unknown.take()).toBe('garbled');
  });

  plainIt('[LK-2] a claimed length allocates no memory before its bytes arrive', () => {
    const before = process.memoryUsage().arrayBuffers;
    const decoders = Array.from({ length: 50 }, () => new FrameDecoder(2 ** 30));
    for (const decoder of decoders) {
      decoder.push(join([encodeHead('data', 2 ** 29), Uint8Array.of(1)]));
      expect(decoder.take()).toBeNull();
    }
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50 * 2 * 64 * 1024);
  });
});
