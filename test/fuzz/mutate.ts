// One input from one or two others. What random bytes never hit is taken from inputs that did.

/** From 0 to below 1, the same for the same seed. */
export type Random = () => number;

const TELLING = [0, 1, 0x7f, 0x80, 0xff, 0x22, 0x2c, 0x30, 0x5b, 0x5d, 0x7b, 0x7d];

export function mutate(input: Uint8Array, other: Uint8Array, random: Random): Uint8Array {
  let bytes = input;
  const times = 1 + below(4, random);
  for (let time = 0; time < times; time += 1) bytes = mutateOnce(bytes, other, random);
  return bytes;
}

function mutateOnce(bytes: Uint8Array, other: Uint8Array, random: Random): Uint8Array {
  const at = below(bytes.length + 1, random);
  const length = 1 + below(8, random);
  const head = bytes.subarray(0, at);
  const tail = bytes.subarray(at);
  switch (below(8, random)) {
    case 0:
      return Buffer.concat([head, Buffer.of(below(256, random)), tail.subarray(1)]);
    case 1:
      return Buffer.concat([head, Buffer.of(telling(random)), tail.subarray(1)]);
    case 2:
      return Buffer.concat([
        head,
        Buffer.of((tail[0] ?? 0) ^ (1 << below(8, random))),
        tail.subarray(1),
      ]);
    case 3:
      return Buffer.concat([head, Buffer.from(randomBytes(length, random)), tail]);
    case 4:
      return Buffer.concat([head, tail.subarray(length)]);
    case 5:
      return Buffer.concat([head, tail.subarray(0, length), tail]);
    case 6: {
      const from = below(other.length + 1, random);
      return Buffer.concat([head, other.subarray(from, from + length * 8), tail]);
    }
    default:
      return below(20, random) === 0
        ? head
        : Buffer.concat([head, Buffer.of(telling(random)), tail]);
  }
}

export function below(limit: number, random: Random): number {
  return Math.floor(random() * limit);
}

function telling(random: Random): number {
  return TELLING[below(TELLING.length, random)] as number;
}

function randomBytes(length: number, random: Random): number[] {
  return Array.from({ length }, () => below(256, random));
}
