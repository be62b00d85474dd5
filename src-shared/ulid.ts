// ULIDs from an injected clock and injected randomness; strictly increasing within one source,
// also inside one millisecond and when the clock steps back.

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
      // All random digits used up within one millisecond: borrow the next one.
      lastTime = time > lastTime ? time : lastTime + 1;
      digits = Array.from(randomBytes(RANDOM_CHARS), (byte) => byte & 31);
    }
    return encodeTime(lastTime) + digits.map((digit) => ALPHABET[digit]).join('');
  };
}

/** Ids that were made before this time are smaller. */
export function firstUlidAt(time: number): string {
  return encodeTime(time) + '0'.repeat(RANDOM_CHARS);
}

/** False when there is no greater number of as many digits. */
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
