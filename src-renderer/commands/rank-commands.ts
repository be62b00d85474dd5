// Ranks commands for the typed text. Whole words match first; letters in order match only if no
// words do, to forgive typos.
import {
  COMMAND_GROUPS,
  type Command,
  type CommandGroup,
} from '#renderer/commands/command-registry.ts';

const PREFIX_SCORE = 1;
const WORD_PREFIX_SCORE = 0.8;
const SUBSTRING_SCORE = 0.6;
const KEYWORD_SCORE = 0.4;
const FUZZY_SCORE = 0.1;

export interface RankedGroup {
  readonly group: CommandGroup;
  readonly commands: readonly Command[];
}

/** Groups with their matches, best group first. */
export function rankCommands(commands: readonly Command[], typed: string): RankedGroup[] {
  const scored = commands.map((command) => ({
    command,
    score: matchScore(command.name, command.keywords ?? '', typed),
  }));
  const hasWords = scored.some(({ score }) => score > FUZZY_SCORE);
  const fitting = scored
    .filter(({ score }) => score > (hasWords ? FUZZY_SCORE : 0))
    .toSorted((a, b) => b.score - a.score);
  const best = (group: CommandGroup): number =>
    fitting.find(({ command }) => command.group === group)?.score ?? 0;
  return COMMAND_GROUPS.filter((group) => best(group) > 0)
    .toSorted((a, b) => best(b) - best(a))
    .map((group) => ({
      group,
      commands: fitting.flatMap(({ command }) => (command.group === group ? [command] : [])),
    }));
}

/** From 0 (no match) to 1. */
export function matchScore(name: string, otherWords: string, typed: string): number {
  const words = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return 1;
  const [own, other] = [name.toLowerCase(), otherWords.toLowerCase()];
  const scores = words.map((word) => wordScore(own, other, word));
  const least = Math.min(...scores);
  if (least > 0) return least * 0.5 + (scores.reduce((a, b) => a + b, 0) / scores.length) * 0.5;
  return FUZZY_SCORE * lettersScore(own, words.join(''));
}

function wordScore(name: string, other: string, word: string): number {
  const at = name.indexOf(word);
  if (at === 0) return PREFIX_SCORE;
  if (at > 0) return /\W/.test(name[at - 1] ?? '') ? WORD_PREFIX_SCORE : SUBSTRING_SCORE;
  return other.includes(word) ? KEYWORD_SCORE : 0;
}

/** How closely the letters follow one another in the name, up to 1; 0 where they do not. */
function lettersScore(name: string, letters: string): number {
  const exact = compactness(name, letters);
  return exact > 0
    ? exact
    : 0.5 * Math.max(...withoutSlips(letters).map((one) => compactness(name, one)), 0);
}

function compactness(name: string, letters: string): number {
  const first = name.indexOf(letters[0] ?? '');
  let at = first - 1;
  for (const letter of letters) {
    at = name.indexOf(letter, at + 1);
    if (at === -1) return 0;
  }
  return letters.length / (at + 1 - first);
}

/** The same with two neighbouring letters swapped, or one of a doubled letter left out. */
function withoutSlips(letters: string): string[] {
  return Array.from({ length: Math.max(0, letters.length - 1) }, (_, at) => {
    const [one, other] = [letters.charAt(at), letters.charAt(at + 1)];
    const pair = one === other ? one : other + one;
    return letters.slice(0, at) + pair + letters.slice(at + 2);
  });
}
