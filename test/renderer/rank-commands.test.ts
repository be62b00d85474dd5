import { describe, expect, test } from 'vitest';
import type { Command } from '#renderer/commands/command-registry.ts';
import { matchScore, rankCommands } from '#renderer/commands/rank-commands.ts';

describe('how well a command fits what was typed', () => {
  test('[DX-8] whole words in a name beat letters that follow one another in a longer one', () => {
    const dark = matchScore('Theme: dark', 'colour appearance', 'dark');
    const chance = matchScore('Edit of a payment, worked on later', '', 'dark');
    expect(dark).toBeGreaterThan(chance);
    expect(chance).toBeLessThan(0.11);
    expect(matchScore('Go to Runs', '', 'quz')).toBe(0);
  });

  test('[DX-8] a name that begins so, then a word of it, then within, then other words', () => {
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

  test('[DX-8] every word counts, in any order; nothing typed fits all', () => {
    expect(matchScore('Graph of payments', '', 'payments graph')).toBeGreaterThan(0.5);
    expect(matchScore('Graph of payments', '', 'payments versions')).toBeLessThan(0.11);
    expect(matchScore('Anything', '', '  ')).toBe(1);
  });
});

describe('which commands are shown, and in which order', () => {
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

  test('[DX-8] with nothing typed all, as they are offered', () => {
    expect(shown('').map(([group]) => group)).toEqual(['page', 'workflow', 'go', 'app']);
    expect(shown('').flatMap(([, names]) => names)).toEqual(offered.map(({ name }) => name));
  });

  test('[DX-8] what has the words hides what merely has the letters', () => {
    expect(matchScore(offered[1]?.name ?? '', '', 'theme')).toBeGreaterThan(0);
    expect(shown('theme')).toEqual([['app', ['Theme: dark']]]);
  });

  test('[DX-8] letters count where nothing has the words', () => {
    expect(shown('thmedrk')).toEqual([['app', ['Theme: dark']]]);
    expect(shown('zzz')).toEqual([]);
  });

  test('[DX-8] the group of the best comes first, and in it the best', () => {
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
