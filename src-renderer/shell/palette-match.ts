// Ranks commands for the typed text. Whole words match first; letters in order match only if no
// words do, to forgive typos.
import { defaultFilter } from 'cmdk';
import { ACTION_GROUPS, type Action, type ActionGroup } from '#renderer/shell/actions.ts';

const BEGINS = 1;
const BEGINS_A_WORD = 0.8;
const WITHIN = 0.6;
const IN_OTHER_WORDS = 0.4;
const BY_LETTERS = 0.1;

export interface Ranked {
  readonly group: ActionGroup;
  readonly actions: readonly Action[];
}

/** Groups with their matches, best group first. cmdk doesn't sort groups. */
export function rank(actions: readonly Action[], typed: string): Ranked[] {
  const scored = actions.map((action) => ({
    action,
    score: matchOf(action.name, action.words ?? '', typed),
  }));
  const hasWords = scored.some(({ score }) => score > BY_LETTERS);
  const fitting = scored
    .filter(({ score }) => score > (hasWords ? BY_LETTERS : 0))
    .toSorted((a, b) => b.score - a.score);
  const best = (group: ActionGroup): number =>
    fitting.find(({ action }) => action.group === group)?.score ?? 0;
  return ACTION_GROUPS.filter((group) => best(group) > 0)
    .toSorted((a, b) => best(b) - best(a))
    .map((group) => ({
      group,
      actions: fitting.flatMap(({ action }) => (action.group === group ? [action] : [])),
    }));
}

/** From 0 (no match) to 1. */
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
