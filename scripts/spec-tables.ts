// Checks docs/specs: every row cites rules and tests that exist and belong together, and the overview
// has the right counts, those of open rows included. Prints the counts.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inRepo } from '#scripts/lib/paths.mjs';
import { tablesOf } from '#scripts/lib/markdown-tables.ts';
import { checkSpecPage, rulesInTitles, type Repository } from '#scripts/lib/spec-tables.ts';

const SPECS = ['000', '001', '002', '003', '004'];

const read = (path: string): string => readFileSync(inRepo(path), 'utf8');
const index = read('docs/specs/index.md');
const [overview, reasons] = tablesOf(index);
const titles = new Map<string, Set<string> | undefined>();

const repository: Repository = {
  rules: new Set(
    [...read('SPEC.md').matchAll(/^- \[([A-Z]+-\d+[a-z]?)\]/gm)].map(([, id]) => id ?? ''),
  ),
  rulesOfTest: (file) => {
    const path = join('test', file);
    if (!titles.has(file)) {
      titles.set(file, existsSync(inRepo(path)) ? rulesInTitles(read(path)) : undefined);
    }
    return titles.get(file);
  },
  hasFile: (path) => existsSync(inRepo(path)),
  reasons: new Set((reasons?.rows ?? []).map((row) => row['reason'] ?? '')),
};

const problems: string[] = [];
const totals = { rows: 0, otherwise: 0, open: 0 };
const byReason = new Map<string, number>();
for (const name of SPECS) {
  const report = checkSpecPage({ name, text: read(`docs/specs/${name}.md`) }, repository);
  const otherwise = [...report.otherwise.values()].reduce((sum, count) => sum + count, 0);
  problems.push(...report.problems);
  totals.rows += report.rows;
  totals.otherwise += otherwise;
  totals.open += report.open;
  for (const [reason, count] of report.otherwise) {
    byReason.set(reason, (byReason.get(reason) ?? 0) + count);
  }
  const told = overview?.rows.find((row) => row['table']?.includes(`(${name}.md)`));
  if (
    told?.['rows'] !== String(report.rows) ||
    told['met otherwise'] !== String(otherwise) ||
    told['open'] !== String(report.open)
  ) {
    problems.push(
      `index.md: ${name} has ${report.rows} rows, of which ${otherwise} are met otherwise and ${report.open} open`,
    );
  }
}
for (const row of reasons?.rows ?? []) {
  const count = byReason.get(row['reason'] ?? '') ?? 0;
  if (row['rows'] !== String(count)) problems.push(`index.md: ${row['reason']} has ${count} rows`);
}
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else console.log(`${totals.rows} rows, ${totals.otherwise} met otherwise, ${totals.open} open`);
