// What commands print: lines, plain aligned tables, JSON for programs.
import { stripVTControlCharacters } from 'node:util';

export function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** With its heads in capitals; without rows, only what there is none of. */
export function printTable(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  none: string,
): void {
  if (rows.length === 0) return printLine(none);
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

/** Texts of others in one line: nothing in them may move the cursor of a terminal. */
export function oneLine(text: string): string {
  return withoutControls(text).trim();
}

/** Line by line, each as far in as it was. */
export function indented(text: string, indent: string): string {
  return text
    .split(/\r\n|\n/)
    .map((line) => `${indent}${withoutControls(line)}`.trimEnd())
    .join('\n');
}

function withoutControls(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
}

/** Local time, as on the clock of whoever reads it. */
export function showTime(millis: number | null): string {
  if (millis === null) return '–';
  const at = new Date(millis);
  const two = (part: number): string => String(part).padStart(2, '0');
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

/** Enough of a hashed id to tell it apart; commands take any unique beginning. */
export function shortId(id: string): string {
  return id.slice(0, 8);
}
