import { describe, expect, test } from 'vitest';
import type { Command } from '#renderer/commands/command-registry.ts';
import { matchScore, rankCommands } from '#renderer/commands/rank-commands.ts';

describe('the match score of a command', () => {
  test('[DX-8] whole words beat scattered letters', () => {
    const dark = matchScore('Theme: dark', 'colour appearance', 'dark');
    const chance = matchScore('Edit of a payment, worked on later', '', 'dark');
    expect(dark).toBeGreaterThan(chance);
    expect(chance).toBeLessThan(0.11);
    expect(matchScore('Go to Runs', '', 'quz')).toBe(0);
  });

  test('[DX-8] ranks prefix, word, substring, keyword, then scattered letters', () => {
    const scores = [
      matchScore('Graph of payments', '', 'graph'),
      matchScore('Open graph', '', 'graph'),
      matchScore('Telegraph', '', 'graph'),
      matchScore('Picture', 'graph', 'graph'),
      matchScore('Go right and perhaps home', '', 'graph'),
    ];
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(new Set(scores).size).toBe(5);
  });

  test('[DX-8] every word must match, in any order; an empty query matches everything', () => {
    expect(matchScore('Graph of payments', '', 'payments graph')).toBeGreaterThan(0.5);
    expect(matchScore('Graph of payments', '', 'payments versions')).toBeLessThan(0.11);
    expect(matchScore('Anything', '', '  ')).toBe(1);
  });
});

describe('the order of commands', () => {
  const command = (group: Command['group'], name: string): Command => ({
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
    rankCommands(offered, typed).map(({ group, commands }) => [
      group,
      commands.map(({ name }) => name),
    ]);

  test('[DX-8] an empty query shows every command in the order offered', () => {
    expect(shown('').map(([group]) => group)).toEqual(['page', 'workflow', 'go', 'app']);
    expect(shown('').flatMap(([, names]) => names)).toEqual(offered.map(({ name }) => name));
  });

  test('[DX-8] word matches hide letter matches', () => {
    expect(matchScore(offered[1]?.name ?? '', '', 'theme')).toBeGreaterThan(0);
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
