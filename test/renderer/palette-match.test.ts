import { describe, expect, test } from 'vitest';
import type { Action } from '#renderer/shell/actions.ts';
import { matchOf, rank } from '#renderer/shell/palette-match.ts';

describe('the match score of a command', () => {
  test('[DX-8] whole words beat scattered letters', () => {
    const dark = matchOf('Theme: dark', 'colour appearance', 'dark');
    const chance = matchOf('Edit of a payment, worked on later', '', 'dark');
    expect(dark).toBeGreaterThan(chance);
    expect(chance).toBeLessThan(0.11);
    expect(matchOf('Go to Runs', '', 'quz')).toBe(0);
  });

  test('[DX-8] ranks prefix, word, substring, keyword, then scattered letters', () => {
    const scores = [
      matchOf('Graph of payments', '', 'graph'),
      matchOf('Open graph', '', 'graph'),
      matchOf('Telegraph', '', 'graph'),
      matchOf('Picture', 'graph', 'graph'),
      matchOf('Go right and perhaps home', '', 'graph'),
    ];
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(new Set(scores).size).toBe(5);
  });

  test('[DX-8] every word must match, in any order; an empty query matches everything', () => {
    expect(matchOf('Graph of payments', '', 'payments graph')).toBeGreaterThan(0.5);
    expect(matchOf('Graph of payments', '', 'payments versions')).toBeLessThan(0.11);
    expect(matchOf('Anything', '', '  ')).toBe(1);
  });
});

describe('the order of commands', () => {
  const command = (group: Action['group'], name: string): Action => ({
    id: name,
    name,
    group,
    run: () => undefined,
  });
  const offered = [
    command('page', 'Run again'),
    command('workflow', 'Open payments · holdfast-pictures/the-mine/payments.ts'),
    command('go', 'Go to Runs'),
    command('app', 'Take the two-minute tour'),
    command('app', 'Theme: dark'),
  ];
  const shown = (typed: string): [string, string[]][] =>
    rank(offered, typed).map(({ group, actions }) => [group, actions.map(({ name }) => name)]);

  test('[DX-8] an empty query shows every command in the order offered', () => {
    expect(shown('').map(([group]) => group)).toEqual(['page', 'workflow', 'go', 'app']);
    expect(shown('').flatMap(([, names]) => names)).toEqual(offered.map(({ name }) => name));
  });

  test('[DX-8] word matches hide letter matches', () => {
    expect(matchOf(offered[1]?.name ?? '', '', 'theme')).toBeGreaterThan(0);
    expect(shown('theme')).toEqual([['app', ['Theme: dark']]]);
  });

  test('[DX-8] letter matches show if no words match', () => {
    expect(shown('thmedrk')).toEqual([['app', ['Theme: dark']]]);
    expect(shown('zzz')).toEqual([]);
  });

  test('[DX-8] the group with the best match comes first', () => {
    expect(shown('to')).toEqual([
      ['go', ['Go to Runs']],
      ['app', ['Take the two-minute tour']],
    ]);
    expect(shown('run')).toEqual([
      ['page', ['Run again']],
      ['go', ['Go to Runs']],
    ]);
  });
});
