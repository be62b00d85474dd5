// Reads the tables of docs/specs and compares what they cite with the rules and the tests.
import { tablesOf } from '#scripts/lib/markdown-tables.ts';

export interface SpecPage {
  readonly name: string;
  readonly text: string;
}

export interface Repository {
  /** The ids of all rules of SPEC.md. */
  readonly rules: ReadonlySet<string>;
  /** The ids that the test titles of this file cite; undefined: no such file. */
  readonly rulesOfTest: (file: string) => ReadonlySet<string> | undefined;
  readonly hasFile: (path: string) => boolean;
  /** The kinds of reasons that docs/specs/index.md explains. */
  readonly reasons: ReadonlySet<string>;
}

export interface SpecReport {
  readonly problems: readonly string[];
  readonly rows: number;
  /** How many rows are met otherwise, by the kind of their reason. */
  readonly otherwise: ReadonlyMap<string, number>;
  readonly open: number;
}

const COLUMNS = ['line', 'asked', 'state', 'how', 'rules', 'tests'] as const;
type Row = Readonly<Record<(typeof COLUMNS)[number], string>>;

const RULE_ID = /^[A-Z]{2,4}-\d+[a-z]?$/;
/** A string literal that begins with rule ids is the title of a test. */
const TITLE = /['"`]((?:\[[A-Z]{2,4}-\d+[a-z]?\]\s*)+)/g;
const OWN_PATH = /`((?:src-main|src-shared|src-renderer|migrations|scripts|docs|test)\/[\w./-]+)`/g;

export function rulesInTitles(text: string): Set<string> {
  const titles = [...text.matchAll(TITLE)].flatMap(([, ids = '']) => ids.split(/[[\]\s]+/));
  return new Set(titles.filter((id) => RULE_ID.test(id)));
}

export function checkSpecPage({ name, text }: SpecPage, repository: Repository): SpecReport {
  const [table] = tablesOf(text);
  if (!table || COLUMNS.some((column, at) => table.columns[at] !== column)) {
    const problems = [`${name}: has no table with the columns ${COLUMNS.join(', ')}`];
    return { problems, rows: 0, otherwise: new Map(), open: 0 };
  }
  const problems: string[] = [];
  const otherwise = new Map<string, number>();
  let open = 0;
  let lastLine = 0;
  for (const cells of table.rows) {
    const row = cells as Row;
    const place = `${name}, line ${row.line}`;
    const line = Number(/^\d+/.exec(row.line)?.[0]);
    if (!(line >= lastLine)) problems.push(`${place}: is not after line ${lastLine}`);
    else lastLine = line;
    if (row.state === 'open') open += 1;
    const [, reason] = /^otherwise: (\w+)$/.exec(row.state) ?? [];
    if (reason !== undefined) otherwise.set(reason, (otherwise.get(reason) ?? 0) + 1);
    problems.push(...flawsOf(row, reason, repository).map((flaw) => `${place}: ${flaw}`));
  }
  return { problems, rows: table.rows.length, otherwise, open };
}

function flawsOf(row: Row, reason: string | undefined, repository: Repository): string[] {
  const rules = listOf(row.rules);
  const tests = listOf(row.tests);
  const flaws: string[] = [];
  if (row.asked === '' || row.how === '')
    flaws.push('says not what is asked, or not how it is met');
  if (reason === undefined && !['met', 'open'].includes(row.state)) {
    flaws.push(`has the unknown state "${row.state}"`);
  }
  if (reason !== undefined && !repository.reasons.has(reason)) {
    flaws.push(`gives the reason "${reason}", which docs/specs/index.md does not explain`);
  }
  if (row.state === 'met' && (rules.length === 0 || tests.length === 0)) {
    flaws.push('is met, but cites no rule or no test');
  }
  for (const rule of rules) {
    if (!repository.rules.has(rule)) flaws.push(`cites the rule ${rule}, which SPEC.md has not`);
  }
  const cited = tests.map((file) => [file, repository.rulesOfTest(file)] as const);
  for (const [file, titles] of cited) {
    if (!titles) flaws.push(`cites test/${file}, which does not exist`);
    else if (!rules.some((rule) => titles.has(rule))) {
      flaws.push(`cites test/${file}, where no title has one of its rules`);
    }
  }
  for (const rule of tests.length === 0 ? [] : rules) {
    if (!cited.some(([, titles]) => titles?.has(rule))) {
      flaws.push(`cites ${rule}, which no title in its tests has`);
    }
  }
  for (const [, path = ''] of row.how.matchAll(OWN_PATH)) {
    if (!repository.hasFile(path)) flaws.push(`names ${path}, which does not exist`);
  }
  return flaws;
}

function listOf(cell: string): string[] {
  return cell
    .replaceAll('`', '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
