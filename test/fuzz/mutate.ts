// Makes a new input from one input, with bytes of another spliced in.
import type { Random } from '#test/support/seeded-random.ts';

/** Boundary values, and the bytes that structure JSON. */
const INTERESTING = [0, 1, 0x7f, 0x80, 0xff, 0x22, 0x2c, 0x30, 0x5b, 0x5d, 0x7b, 0x7d];

export function mutate(input: Uint8Array, other: Uint8Array, random: Random): Uint8Array {
  let bytes = input;
  const times = 1 + random.int(4);
  for (let time = 0; time < times; time += 1) bytes = mutateOnce(bytes, other, random);
  return bytes;
}

function mutateOnce(bytes: Uint8Array, other: Uint8Array, random: Random): Uint8Array {
  const at = random.int(bytes.length + 1);
  const length = 1 + random.int(8);
  const head = bytes.subarray(0, at);
  const tail = bytes.subarray(at);
  switch (random.int(8)) {
    case 0:
      return Buffer.concat([head, Buffer.of(random.int(256)), tail.subarray(1)]);
    case 1:
      return Buffer.concat([head, Buffer.of(random.pick(INTERESTING)), tail.subarray(1)]);
    case 2:
      return Buffer.concat([
        head,
        Buffer.of((tail[0] ?? 0) ^ (1 << random.int(8))),
        tail.subarray(1),
      ]);
    case 3:
      return Buffer.concat([head, random.bytes(length), tail]);
    case 4:
      return Buffer.concat([head, tail.subarray(length)]);
    case 5:
      return Buffer.concat([head, tail.subarray(0, length), tail]);
    case 6: {
      const from = random.int(other.length + 1);
      return Buffer.concat([head, other.subarray(from, from + length * 8), tail]);
    }
    default:
      return random.int(20) === 0
        ? head
        : Buffer.concat([head, Buffer.of(random.pick(INTERESTING)), tail]);
  }
}
