// How well a command fits what was typed. Words that stand in its name come first; letters that
// merely follow one another in it, which is what is left after a slip of the finger, come last.
import { defaultFilter } from 'cmdk';

const BEGINS = 1;
const BEGINS_A_WORD = 0.8;
const WITHIN = 0.6;
const IN_OTHER_WORDS = 0.4;
const BY_LETTERS = 0.1;

/** From 0, not at all, to 1. */
export function matchOf(name: string, otherWords: string, typed: string): number {
  const words = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return 1;
  const [own, other] = [name.toLowerCase(), otherWords.toLowerCase()];
  const scores = words.map((word) => scoreOf(own, other, word));
  const least = Math.min(...scores);
  if (least > 0) return least * 0.5 + (scores.reduce((a, b) => a + b, 0) / scores.length) * 0.5;
  return BY_LETTERS * (defaultFilter?.(name, typed) ?? 0);
}

function scoreOf(name: string, other: string, word: string): number {
  const at = name.indexOf(word);
  if (at === 0) return BEGINS;
  if (at > 0) return /\W/.test(name[at - 1] ?? '') ? BEGINS_A_WORD : WITHIN;
  return other.includes(word) ? IN_OTHER_WORDS : 0;
}
