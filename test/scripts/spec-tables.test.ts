import { describe, expect, it } from 'vitest';
import { checkSpecPage, rulesInTitles, type Repository } from '#scripts/lib/spec-tables.ts';

const repository: Repository = {
  rules: new Set(['SP-1', 'SP-2', 'SP-3']),
  rulesOfTest: (file) => (file === 'a.test.ts' ? new Set(['SP-1', 'SP-2']) : undefined),
  hasFile: (path) => path === 'src-main/a.ts',
  reasons: new Set(['layout']),
};

const check = (...rows: string[]) => {
  const head = '| line | asked | state | how | rules | tests |\n|---|---|---|---|---|---|';
  return checkSpecPage({ name: '000', text: [head, ...rows].join('\n') }, repository);
};

const GOOD = [
  '| 3 | A table | met | In `src-main/a.ts` | SP-1, SP-2 | `a.test.ts` |',
  '| 4-6 | A file | otherwise: layout | Elsewhere | | |',
  '| 7 | More | open | Being built | | |',
];

describe('the tables of docs/specs', () => {
  it('[SP-2] rows are counted by state', () => {
    const report = check(...GOOD);
    expect(report.problems).toEqual([]);
    expect(report).toMatchObject({ rows: 3, open: 1 });
    expect([...report.otherwise]).toEqual([['layout', 1]]);
  });

  it.each([
    ['| 3 | A | met | So | SP-9 | `a.test.ts` |', 'the rule SP-9, which SPEC.md has not'],
    ['| 3 | A | met | So | SP-1 | `b.test.ts` |', 'test/b.test.ts, which does not exist'],
    ['| 3 | A | met | So | SP-3 | `a.test.ts` |', 'no title has one of its rules'],
    ['| 3 | A | met | So | SP-1, SP-3 | `a.test.ts` |', 'SP-3, which no title in its tests has'],
    ['| 3 | A | met | So | SP-1 | |', 'cites no rule or no test'],
    ['| 3 | A | met | So | | |', 'cites no rule or no test'],
    ['| 3 | A | otherwise: layout | | | |', 'not how it is met'],
    ['| 3 | A | otherwise: mood | So | | |', 'the reason "mood"'],
    ['| 3 | A | nearly | So | | |', 'the unknown state "nearly"'],
    ['| 3 | A | met | In `src-main/b.ts` | SP-1 | `a.test.ts` |', 'src-main/b.ts, which does not'],
    ['| 2 | A | otherwise: layout | So | | |', 'is not after line 7'],
  ])('[SP-2] refuses %s', (row, why) => {
    const { problems } = check(...(why.includes('after') ? [...GOOD, row] : [row]));
    expect(problems).toContainEqual(expect.stringContaining(why));
  });

  it('[SP-2] a page without its table is refused', () => {
    const { problems } = checkSpecPage({ name: '001', text: '# Nothing' }, repository);
    expect(problems).toEqual([expect.stringContaining('001: has no table')]);
  });

  it('[SP-2] only ids at the beginning of a string count as cited by a title', () => {
    const text = `// [MG-1] in a comment\nit('[MG-2] [MG-3] works', f);\nexpect('see [MG-4]');`;
    expect([...rulesInTitles(text)]).toEqual(['MG-2', 'MG-3']);
  });
});
