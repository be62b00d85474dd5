import { describe, expect, it } from 'vitest';
import { coverageOf, idsIn, type TestReport } from '#scripts/lib/spec-coverage.ts';

/** Titles are built here: an id in brackets in this file would be a citation of this test. */
const cite = (id: string, text = 'works'): string => `[${id}] ${text}`;

const RULES = new Set(['AA-1', 'AA-2']);

const report = (...tests: [status: string, fullName: string][]): TestReport => ({
  testResults: [
    {
      name: 'a.test.ts',
      assertionResults: tests.map(([status, fullName]) => ({ status, fullName })),
    },
  ],
});

const PASSED = report(
  ['passed', cite('AA-1')],
  ['passed', `a suite ${cite('AA-2', 'works, too')}`],
);

describe('the rules that a test run proved', () => {
  it('[SP-3] are those with a test that passed, in any suite and by its title at run time', () => {
    const found = coverageOf(RULES, ['a.test.ts'], [report(), PASSED]);
    expect(found).toMatchObject({ proven: 2, skipped: [], unknown: [], filesNotRun: [] });
    expect(found.gaps.size + found.notHere.size).toBe(0);
  });

  it.each([
    ['failed', 'its test failed'],
    ['pending', 'its tests were skipped without a reason'],
    ['todo', 'its tests were skipped without a reason'],
  ])('[SP-3] are not those whose test is %s', (status, why) => {
    const reports = [report(['passed', cite('AA-1')], [status, cite('AA-2')])];
    const { proven, gaps } = coverageOf(RULES, [], reports);
    expect(proven).toBe(1);
    expect([...gaps]).toEqual([['AA-2', why]]);
  });

  it('[SP-3] are not those that only the name of a test mentions, or that no test cites', () => {
    for (const title of ['works, see AA-2', cite('AA-1')]) {
      const reports = [report(['passed', cite('AA-1')], ['passed', title])];
      const { gaps } = coverageOf(RULES, [], reports);
      expect([...gaps]).toEqual([['AA-2', 'no test that was executed cites it']]);
    }
  });

  it('[SP-3] are those that one of several tests proved, although another one was skipped with a reason', () => {
    const skippedHere = report(['pending', cite('AA-2', 'works (not run: no Electron)')]);
    const { proven, skipped } = coverageOf(RULES, [], [PASSED, skippedHere]);
    expect(proven).toBe(2);
    expect(skipped).toEqual([]);
  });

  it('[SP-3] that no test can prove here are named with the reason', () => {
    const inSuite = `the app (not run: no Electron (arm64)) ${cite('AA-2', 'opens')}`;
    const reports = [report(['passed', cite('AA-1')], ['pending', inSuite])];
    const { notHere, gaps } = coverageOf(RULES, [], reports);
    expect([...notHere]).toEqual([['AA-2', 'no Electron (arm64)']]);
    expect(gaps.size).toBe(0);
  });
});

it('[SP-3] skipped tests without a reason, unknown rules and files that no suite ran are reported', () => {
  const later = cite('AA-1', 'later');
  const more = report(['pending', later], ['passed', cite('BB-9')]);
  const found = coverageOf(RULES, ['a.test.ts', 'b.test.ts'], [PASSED, more]);
  expect(found).toMatchObject({
    skipped: [later],
    unknown: ['BB-9'],
    filesNotRun: ['b.test.ts'],
  });
});

it('[SP-3] an id is read from anywhere in a title', () => {
  const title = `${cite('AA-1', cite('AA-2', 'and'))} ${cite('MU-12', 'a [link] to AA-3')}`;
  expect([...idsIn(title)]).toEqual(['AA-1', 'AA-2', 'MU-12']);
});
