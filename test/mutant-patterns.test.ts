// A mutant whose pattern no longer matches would change nothing. This test is not in test/mutants,
// because `npm run mutants` runs that folder on mutated code, where the pattern is gone.
import { expect, it } from 'vitest';
import { LISTS } from '#test/mutants/lists.ts';
import { missingTests, mutated, stalePatterns } from '#test/mutants/mutant.ts';

const MUTANTS = LISTS.flatMap(({ mutants }) => mutants);

it('the pattern of every mutant matches the code exactly once', () => {
  expect(stalePatterns(MUTANTS)).toEqual([]);
});

it('every test file that a mutant names exists', () => {
  expect(missingTests(LISTS)).toEqual([]);
});

it('mutants have distinct names, and each changes the code', () => {
  const names = MUTANTS.map(({ name }) => name);
  expect(names.filter((name, place) => names.indexOf(name) !== place)).toEqual([]);
  expect(MUTANTS.filter((mutant) => 'find' in mutant && mutant.find === mutant.replace)).toEqual(
    [],
  );
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
  const list = { name: 'l', tests: ['test/gone.test.ts'], mutants: [mutant] };
  expect(missingTests([list])).toEqual(['there is no test file test/gone.test.ts']);
});

it('a replacement is taken as written', () => {
  expect(mutated('a b', { find: 'a', replace: '$& $1' })).toBe('$& $1 b');
  expect(mutated('a b', { append: ' c' })).toBe('a b c');
});
