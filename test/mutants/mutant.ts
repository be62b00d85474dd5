// A mutant is one fault that a test must notice. `npm run mutants` makes each in a copy of the
// repository and runs the tests there.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export type Mutant = {
  /** The fault that it introduces. */
  readonly name: string;
  readonly file: string;
  /** Test files that run instead of those of the list. */
  readonly tests?: readonly string[];
  /** Why no test can notice it. Such a mutant must survive. */
  readonly survives?: string;
} & Change;

export type Change =
  | {
      /** Must occur exactly once in the file. */
      readonly find: string;
      readonly replace: string;
    }
  | { readonly append: string };

export interface MutantList {
  readonly name: string;
  /** The test files that notice its mutants. */
  readonly tests: readonly string[];
  readonly mutants: readonly Mutant[];
}

export function mutated(text: string, change: Change): string {
  return 'append' in change
    ? text + change.append
    : text.replace(change.find, () => change.replace);
}

/** Mutants of one file: the name of each fault, the text to find, and the text instead of it. */
export function inFile(
  file: string,
  tests: readonly string[],
  faults: readonly (readonly [name: string, find: string, replace: string, survives?: string])[],
): Mutant[] {
  return faults.map(([name, find, replace, survives]) => ({
    name,
    file,
    tests,
    find,
    replace,
    ...(survives === undefined ? {} : { survives }),
  }));
}

/** One line for each mutant whose pattern does not occur exactly once in its file. */
export function stalePatterns(mutants: readonly Mutant[], root = '.'): string[] {
  return mutants.flatMap((mutant) => {
    const { name, file } = mutant;
    const path = join(root, file);
    if (!existsSync(path)) return [`${name}: there is no file ${file}`];
    if ('append' in mutant) return [];
    const count = readFileSync(path, 'utf8').split(mutant.find).length - 1;
    if (count === 1) return [];
    return count === 0
      ? [`${name}: the pattern does not occur in ${file}`]
      : [`${name}: the pattern occurs ${count} times in ${file}`];
  });
}

/** One line for each test file that a list or a mutant names and that does not exist. */
export function missingTests(lists: readonly MutantList[], root = '.'): string[] {
  const named = lists.flatMap(({ tests, mutants }) => [
    ...tests,
    ...mutants.flatMap((mutant) => mutant.tests ?? []),
  ]);
  return [...new Set(named)]
    .filter((file) => !existsSync(join(root, file)))
    .map((file) => `there is no test file ${file}`);
}
