// Code moves on; a mutant whose place is gone would break nothing, and nobody would notice. Not beside
// the mutants: the tests there run on mutated code, in which a place is gone on purpose.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { MUTANTS } from '#test/mutants/ledger-mutants.ts';

it('every mutant of the ledger has its place in the code, and only one', () => {
  const places = MUTANTS.map(({ name, file, find }) => ({
    name,
    places: readFileSync(file, 'utf8').split(find).length - 1,
  }));
  expect(places.filter((mutant) => mutant.places !== 1)).toEqual([]);
  expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
});
