// The tables of a Markdown page.

export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly { readonly [column: string]: string }[];
}

const RULE = /^\|(?: *:?-+:? *\|)+$/;

export function tablesOf(markdown: string): Table[] {
  const lines = markdown.split('\n');
  return lines.flatMap((line, at) => {
    if (!RULE.test(line)) return [];
    const columns = cellsOf(lines[at - 1] ?? '');
    const end = lines.findIndex((one, index) => index > at && !one.startsWith('|'));
    const rows = lines
      .slice(at + 1, end === -1 ? undefined : end)
      .map((row) => Object.fromEntries(cellsOf(row).map((cell, n) => [columns[n] ?? '', cell])));
    return [{ columns, rows }];
  });
}

function cellsOf(line: string): string[] {
  return line
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());
}
