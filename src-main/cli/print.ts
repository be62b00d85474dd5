// Output of commands: lines, aligned tables, and JSON for programs.
import { stripVTControlCharacters } from 'node:util';
import { formatCost } from '#shared/cost.ts';

export function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** Prints `emptyText` instead of a table without rows. */
export function printTable(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  emptyText: string,
): void {
  if (rows.length === 0) return printLine(emptyText);
  const lines = [heads.map((head) => head.toUpperCase()), ...rows.map((row) => row.map(oneLine))];
  const widths = heads.map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  for (const line of lines) {
    printLine(
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
  }
}

/** A table with a column of costs before its last one, unless nothing cost anything. */
export function withCosts(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  head: string,
  costs: readonly number[],
): [heads: readonly string[], rows: readonly (readonly string[])[]] {
  if (costs.every((cost) => cost === 0)) return [heads, rows];
  const at = heads.length - 1;
  return [
    heads.toSpliced(at, 0, head),
    rows.map((row, index) => row.toSpliced(at, 0, showCost(costs[index] ?? 0))),
  ];
}

function showCost(cost: number): string {
  return cost === 0 ? '–' : formatCost(cost);
}

/** Untrusted text on one line, without terminal control sequences. */
export function oneLine(text: string): string {
  return withoutControls(text).trim();
}

/** Indents each line and removes terminal control sequences. */
export function indented(text: string, indent: string): string {
  return text
    .split(/\r\n|\n/)
    .map((line) => `${indent}${withoutControls(line)}`.trimEnd())
    .join('\n');
}

function withoutControls(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
}

/** Local time, to the second. */
export function showTime(millis: number | null): string {
  if (millis === null) return '–';
  const at = new Date(millis);
  const two = (part: number): string => String(part).padStart(2, '0');
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

/** The first eight characters of an id; commands accept any unique prefix. */
export function shortId(id: string): string {
  return id.slice(0, 8);
}

/** The first line, at most `maxLength` characters, with an ellipsis where something was left out. */
export function excerpt(text: string, maxLength: number): string {
  const start = text.split('\n', 1)[0]?.slice(0, maxLength) ?? '';
  return start === text ? text : `${start}…`;
}
