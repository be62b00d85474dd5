// ULIDs from an injected clock and injected randomness. They increase strictly within one source, also
// within one millisecond and after the clock steps back.

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_CHARS = 10;
const RANDOM_CHARS = 16;

export function createUlidSource(
  now: () => number,
  randomBytes: (count: number) => Uint8Array,
): () => string {
  let lastTime = -1;
  let digits: number[] = [];
  return () => {
    const time = Math.max(now(), lastTime);
    if (time > lastTime || !increment(digits)) {
      // The random digits overflowed within one millisecond, so use the next one.
      lastTime = time > lastTime ? time : lastTime + 1;
      digits = Array.from(randomBytes(RANDOM_CHARS), (byte) => byte & 31);
    }
    return encodeTime(lastTime) + digits.map((digit) => ALPHABET[digit]).join('');
  };
}

/** Sorts before every ULID that is created at this time or later. */
export const firstUlidAt = (time: number): string => encodeTime(time) + '0'.repeat(RANDOM_CHARS);

/** Returns false on overflow. */
function increment(digits: number[]): boolean {
  for (let place = digits.length - 1; place >= 0; place -= 1) {
    const digit = (digits[place] ?? 0) + 1;
    digits[place] = digit & 31;
    if (digit < 32) return true;
  }
  return false;
}

function encodeTime(time: number): string {
  let rest = time;
  let text = '';
  for (let place = 0; place < TIME_CHARS; place += 1) {
    text = ALPHABET[rest % 32] + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}
