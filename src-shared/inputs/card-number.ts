// Finds payment card numbers in text, with or without separators. The issuer's prefix, the length and
// the check digit must match, so that order numbers are not mistaken for cards.

interface Issuer {
  readonly prefix: RegExp;
  /** Longest first. */
  readonly lengths: readonly number[];
}

const ISSUERS: readonly Issuer[] = [
  { prefix: /^4/, lengths: [19, 16, 13] },
  { prefix: /^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, lengths: [16] },
  { prefix: /^3[47]/, lengths: [15] },
  { prefix: /^(?:6011|64[4-9]|65)/, lengths: [19, 16] },
  { prefix: /^3(?:0[0-5]|[689])/, lengths: [14] },
  { prefix: /^35(?:2[89]|[3-8])/, lengths: [16] },
  { prefix: /^62/, lengths: [19, 18, 17, 16] },
];
const LONGEST_PREFIX = 4;

/** Digits with at most one space or hyphen between two of them. */
const DIGITS = /\d(?:[ -]?\d){12,}/g;

export function replaceCards(text: string, marker: string, onFound: () => void): string {
  return text.replace(DIGITS, (run) => replaceInRun(run, marker, onFound));
}

export function isCardNumber(digits: string): boolean {
  return lengthsFor(digits).includes(digits.length) && hasCheckDigit(digits);
}

const NONE: readonly number[] = [];

/** The possible lengths of a number with this prefix, longest first. */
function lengthsFor(digits: string): readonly number[] {
  const first = digits[0] ?? '';
  if (first < '2' || first > '6') return NONE;
  return ISSUERS.find(({ prefix }) => prefix.test(digits))?.lengths ?? NONE;
}

function replaceInRun(run: string, marker: string, onFound: () => void): string {
  const digits = run.replaceAll(/[ -]/g, '');
  const places = placesOfDigits(run);
  let replaced = '';
  let from = 0;
  for (let first = 0; first < places.length; first += 1) {
    const start = places[first] as number;
    if (isDigit(run[start - 1])) continue;
    const count = cardLength({ run, digits, places }, first);
    if (count === 0) continue;
    onFound();
    replaced += run.slice(from, start) + marker;
    from = (places[first + count - 1] as number) + 1;
    first += count - 1;
  }
  return replaced + run.slice(from);
}

interface Run {
  readonly run: string;
  readonly digits: string;
  /** The index of each digit in `run`. */
  readonly places: readonly number[];
}

function placesOfDigits(run: string): number[] {
  const places: number[] = [];
  for (let at = 0; at < run.length; at += 1) if (isDigit(run[at])) places.push(at);
  return places;
}

/** The length of the longest card number that starts here and ends at a group, or 0. */
function cardLength({ run, digits, places }: Run, first: number): number {
  for (const count of lengthsFor(digits.slice(first, first + LONGEST_PREFIX))) {
    const end = places[first + count - 1];
    if (end === undefined || isDigit(run[end + 1])) continue;
    if (hasCheckDigit(digits.slice(first, first + count))) return count;
  }
  return 0;
}

function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= '0' && character <= '9';
}

const ZERO = '0'.charCodeAt(0);

/** The Luhn check: every second digit from the right counts double. */
function hasCheckDigit(digits: string): boolean {
  let sum = 0;
  for (let place = 0; place < digits.length; place += 1) {
    const digit = digits.charCodeAt(digits.length - 1 - place) - ZERO;
    const counted = place % 2 === 0 ? digit : digit * 2;
    sum += counted > 9 ? counted - 9 : counted;
  }
  return sum % 10 === 0;
}
