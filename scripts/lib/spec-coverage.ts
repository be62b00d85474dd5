// Which rules of SPEC.md the tests proved: at least one test whose title cites the rule ran and passed. A
// test that cannot run on this machine has the reason in its title: "(not run: no Electron)".

const RULE = /\[([A-Z]{2,4}-\d+[a-z]?)\]/g;
const REASON = /\(not run: ((?:[^()]|\([^()]*\))+)\)/;

/** Every other status of vitest means that the test did not run. */
const RAN = ['passed', 'failed'];

/** The part of vitest's JSON report that is read here. */
export interface TestReport {
  readonly testResults: readonly {
    /** Path of the test file. */
    readonly name: string;
    readonly assertionResults: readonly {
      /** The titles of its suites and its own, as they were at run time. */
      readonly fullName: string;
      readonly status: string;
    }[];
  }[];
}

export interface SpecCoverage {
  readonly proven: number;
  /** Rules whose tests cannot run here, with the reasons. */
  readonly notHere: ReadonlyMap<string, string>;
  /** Rules without a test that passed, with what became of their tests. */
  readonly gaps: ReadonlyMap<string, string>;
  /** Skipped tests whose title has no reason. */
  readonly skipped: readonly string[];
  /** Cited, but not in SPEC.md. */
  readonly unknown: readonly string[];
  /** Test files that no suite ran. */
  readonly filesNotRun: readonly string[];
}

export function idsIn(text: string): Set<string> {
  return new Set([...text.matchAll(RULE)].map(([, id]) => id as string));
}

export function coverageOf(
  rules: ReadonlySet<string>,
  testFiles: readonly string[],
  reports: readonly TestReport[],
): SpecCoverage {
  const files = reports.flatMap(({ testResults }) => testResults);
  const tests = files.flatMap(({ assertionResults }) => assertionResults);
  const citing = new Map<string, { status: string; fullName: string }[]>();
  for (const test of tests) {
    for (const id of idsIn(test.fullName)) citing.set(id, [...(citing.get(id) ?? []), test]);
  }
  const notHere = new Map<string, string>();
  const gaps = new Map<string, string>();
  let proven = 0;
  for (const rule of rules) {
    const cited = citing.get(rule) ?? [];
    const reasons = cited.map(({ fullName }) => REASON.exec(fullName)?.[1]);
    const failed = cited.filter(({ status }) => status === 'failed').length;
    if (cited.some(({ status }) => status === 'passed')) proven += 1;
    else if (cited.length === 0) gaps.set(rule, 'no test that was executed cites it');
    else if (failed > 0) gaps.set(rule, failed === 1 ? 'its test failed' : 'its tests failed');
    else if (reasons.includes(undefined)) gaps.set(rule, 'its tests were skipped without a reason');
    else notHere.set(rule, [...new Set(reasons)].join('; '));
  }
  const ran = new Set(files.map(({ name }) => name));
  return {
    proven,
    notHere,
    gaps,
    skipped: tests
      .filter(({ status, fullName }) => !RAN.includes(status) && !REASON.test(fullName))
      .map(({ fullName }) => fullName),
    unknown: [...citing.keys()].filter((id) => !rules.has(id)).toSorted(),
    filesNotRun: testFiles.filter((file) => !ran.has(file)).toSorted(),
  };
}
