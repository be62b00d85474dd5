// Reads JSON text from outside without changing a number. A number that JavaScript can't hold becomes
// text with the digits as they were written: a whole number beyond the safe range, and any number that
// JavaScript would write as another one.
import type { Json } from '#shared/json.ts';

/** Throws `SyntaxError` like `JSON.parse`. */
export function parseExactJson(text: string): Json {
  // Parsed as it is first: quoting a number could make invalid text valid.
  const value = JSON.parse(text) as Json;
  if (!MAY_CHANGE.test(text)) return value;
  const quoted = quoteNumbers(text, (number) => !isExact(number));
  return quoted === text ? value : (JSON.parse(quoted) as Json);
}

/**
 * Whether parsing and writing changes a number of this valid JSON text. Never so for what
 * `JSON.stringify` wrote, which may contain whole numbers beyond the safe range.
 */
export function changesNumbers(text: string): boolean {
  return MAY_CHANGE.test(text) && quoteNumbers(text, (number) => !isKept(number)) !== text;
}

/** Whether a JavaScript number holds the number that is written here. */
export function isExact(number: string): boolean {
  if (PART.test(number)) return isKept(number);
  // JavaScript holds some whole numbers beyond the safe range. If only the others were text, one id
  // would be a number and the next one text.
  return number.length <= MAX_SAFE_LENGTH && Number.isSafeInteger(Number(number));
}

// A double holds any 15 digits with any exponent of two. Hashes have digits around an "e" as well; the
// lookbehind skips them.
const MAY_CHANGE = /(?<![\w.])(?:[\d.]{16}|\d[\d.]*[eE][+-]?\d{3})/;
const MIN_LENGTH = 16;
const MAX_SAFE_LENGTH = '-9007199254740991'.length;
/** A fraction or an exponent. */
const PART = /[.eE]/;

function isKept(number: string): boolean {
  const value = Number(number);
  return Number.isFinite(value) && decimalOf(number) === decimalOf(String(value));
}

/** Equal for two spellings of one number. Zero has no sign. */
function decimalOf(number: string): string {
  const [mantissa = '', exponent = '0'] = number.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const digits = whole + fraction;
  let from = 0;
  while (digits.charCodeAt(from) === ZERO) from += 1;
  if (from === digits.length) return '0';
  let to = digits.length;
  while (digits.charCodeAt(to - 1) === ZERO) to -= 1;
  const power = Number(exponent) - fraction.length + (digits.length - to);
  return `${number.startsWith('-') ? '-' : ''}${digits.slice(from, to)}e${power}`;
}

/** Needs valid JSON. One pass without backtracking, so hostile text takes linear time. */
function quoteNumbers(text: string, isQuoted: (number: string) => boolean): string {
  let quoted = '';
  let copied = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === MINUS || (code >= ZERO && code <= NINE)) {
      const end = endOfNumber(text, at);
      const number = text.slice(at, end);
      if ((number.length >= MIN_LENGTH || PART.test(number)) && isQuoted(number)) {
        quoted += `${text.slice(copied, at)}"${number}"`;
        copied = end;
      }
      at = end - 1;
    }
  }
  return quoted + text.slice(copied);
}

/** The index of the closing quote. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  for (; text.charCodeAt(at) !== QUOTE; at += 1) if (text.charCodeAt(at) === BACKSLASH) at += 1;
  return at;
}

/** The index after the number. */
function endOfNumber(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && !endsNumber(text.charCodeAt(at))) at += 1;
  return at;
}

function endsNumber(code: number): boolean {
  return code === COMMA || code === CLOSE_LIST || code === CLOSE_OBJECT || code <= SPACE;
}

const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const CLOSE_OBJECT = 0x7d;
