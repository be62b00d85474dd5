import { describe, expect, test } from 'vitest';
import { matchOf } from '#renderer/shell/palette-match.ts';

describe('how well a command fits what was typed', () => {
  test('[DX-8] whole words in a name beat letters that follow one another in a longer one', () => {
    const dark = matchOf('Theme: dark', 'colour appearance', 'dark');
    const chance = matchOf('Edit of a payment, worked on later', '', 'dark');
    expect(dark).toBeGreaterThan(chance);
    expect(chance).toBeLessThan(0.11);
    expect(matchOf('Go to Runs', '', 'quz')).toBe(0);
  });

  test('[DX-8] a name that begins so, then a word of it, then within, then other words', () => {
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

  test('[DX-8] every word counts, in any order; nothing typed fits all', () => {
    expect(matchOf('Graph of payments', '', 'payments graph')).toBeGreaterThan(0.5);
    expect(matchOf('Graph of payments', '', 'payments versions')).toBeLessThan(0.11);
    expect(matchOf('Anything', '', '  ')).toBe(1);
  });
});
