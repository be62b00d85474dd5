// A mutant whose pattern no longer matches would change nothing. This test is not in test/mutants,
// because `npm run mutants` runs that folder on mutated code, where the pattern is gone.
import { expect, it } from 'vitest';
import { MUTANTS, stalePatterns } from '#test/mutants/ledger-mutants.ts';

it('the pattern of every ledger mutant matches the code exactly once', () => {
  expect(stalePatterns(MUTANTS)).toEqual([]);
});

it('ledger mutants have distinct names, and each changes the code', () => {
  expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
  expect(MUTANTS.filter(({ find, replace }) => find === replace)).toEqual([]);
});

it('a pattern that does not match, matches twice or names a missing file is reported', () => {
  const mutant = { name: 'm', file: 'package.json', find: '"name"', replace: '' };
  const missing = { ...mutant, file: 'src-main/gone.ts' };
  expect(stalePatterns([mutant])).toEqual([]);
  expect(stalePatterns([{ ...mutant, find: 'no such text' }])).toEqual([
    'm: the pattern does not occur in package.json',
  ]);
  expect(stalePatterns([{ ...mutant, find: '"' }])[0]).toMatch(
    /^m: the pattern occurs \d+ times in package\.json$/,
  );
  expect(stalePatterns([missing])).toEqual(['m: there is no file src-main/gone.ts']);
});
