// Spec 000: enumerations and claim tuples have one source, src-shared/session-enums.ts.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as enums from '#shared/session-enums.ts';

const SOURCE = join('src-shared', 'session-enums.ts');
const ENUMERATIONS = Object.entries(enums).filter(([, members]) => Array.isArray(members));
/** Words in quotes, listed with `,` (arrays, SQL), `|` (types) or `case`, or compared with `||` or `&&`. */
const LISTED =
  /(['"`])\w+\1(?:\s*(?:\]|\))*\s*(?:,|\||:\s*case\b|(?:\|\||&&)\s*[\w.?]+\s*[!=]==)\s*(?:\[|\()*\s*(['"`])\w+\2)+/g;

/** The enumerations that a text lists again: all members, or all but one of three or more. */
function copiesIn(text: string): string[] {
  const lists = text.match(LISTED) ?? [];
  return lists.flatMap((list) => {
    const words = new Set(list.match(/\w+/g));
    return ENUMERATIONS.filter(([, members]) => {
      const found = members.filter((member) => words.has(member)).length;
      return found >= Math.max(2, members.length - 1);
    }).map(([name]) => `${name}: ${list}`);
  });
}

/** Kinds of inputs share words with the triggers of sessions. */
const INPUT_KINDS = [
  join('src-shared', 'inputs', 'kinds.ts'),
  join('src-main', 'testing', 'test-records.ts'),
];

function sourceFiles(): string[] {
  return ['src-main', 'src-renderer', 'src-shared']
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
    )
    .filter((file) => /\.tsx?$/.test(file) && file !== SOURCE);
}

it.each([
  `const ACTIVE = ['booting', 'running', 'validating'];`,
  `type Active = 'running' | 'booting';`,
  `if (lane === 'draft' || lane === 'main')`,
  `new Set(["manual", "event"])`,
  "WHERE status IN ('running', 'validating')",
  `const ENDS = ['timed_out', 'canceled', 'failed', 'completed'];`,
  `status: 'valid' | 'invalid'`,
  `status !== 'booting' && status !== 'running' && status !== 'validating'`,
  `case 'completed': case 'failed': case 'suspended': case 'canceled': case 'timed_out':`,
])('[SR-13] a copy is noticed in any spelling and order: %s', (text) => {
  expect(copiesIn(text)).not.toEqual([]);
});

it('[SR-13] no source lists the members of a session enumeration again', () => {
  expect(ENUMERATIONS.map(([name]) => name).toSorted()).toEqual([
    'ACTIVE_SCRIPT_RUN_STATUSES',
    'LANES',
    'LANE_VALIDATION_STATUSES',
    'SCRIPT_RUN_STATUSES',
    'TERMINAL_SCRIPT_RUN_STATUSES',
    'TRIGGERS',
  ]);
  const copies = sourceFiles().flatMap((file) =>
    copiesIn(readFileSync(file, 'utf8'))
      .filter((copy) => !(INPUT_KINDS.includes(file) && copy.startsWith('TRIGGERS')))
      .map((copy) => `${file}: ${copy}`),
  );
  expect(copies).toEqual([]);
});

it('[SR-13] no source declares the claim of a sandbox again', () => {
  const body = /(?:interface \w+|type \w+ =|:)\s*\{([^{}]*)\}/g;
  const fields = ['workflowId', 'lane', 'runId', 'sandboxId'];
  const isClaim = (text: string): boolean =>
    fields.every((field) => new RegExp(`\\b${field}\\??:\\s*(?:string|Lane)\\b`).test(text));
  const declares = (text: string): boolean =>
    [...text.matchAll(body)].some(([, inner = '']) => isClaim(inner));
  expect(declares(readFileSync(SOURCE, 'utf8'))).toBe(true);
  expect(sourceFiles().filter((file) => declares(readFileSync(file, 'utf8')))).toEqual([]);
});
