// The operators of scripts/crsqlite/json-member.c say what SQLite's own say.
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadCrsqlite } from '#main/store/database.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

let ours: SQLite.Database;
let own: SQLite.Database;

beforeAll(() => {
  ours = openWith(':memory:');
  own = new SQLite(':memory:');
});
afterAll(() => {
  for (const sqlite of [ours, own]) sqlite.close();
});

function openWith(path: string): SQLite.Database {
  const sqlite = new SQLite(path);
  loadCrsqlite(sqlite);
  return sqlite;
}

/** By both operators: the value, what it is, and whether SQLite takes it for JSON. */
const ASKED = ['->', '->>']
  .map((op) => `typeof(@text ${op} @key), @text ${op} @key, json_array(@text ${op} @key)`)
  .join(', ');

function answers(sqlite: SQLite.Database, text: unknown, key: unknown): unknown {
  try {
    return sqlite.prepare(`SELECT ${ASKED}`).raw().safeIntegers().get({ text, key });
  } catch (error) {
    return { refused: (error as Error).message };
  }
}

function expectSame(text: unknown, key: unknown): void {
  expect(answers(ours, text, key)).toEqual(answers(own, text, key));
}

/** Few, so that they are there twice, or prefixes of each other. */
const arbName = fc.constantFrom(
  'a',
  'ab',
  'phase',
  'Phase',
  'a_1',
  '',
  '$',
  '$.a',
  '[0]',
  'é',
  'a b',
  'a"',
  'a\\',
  '1',
);

const arbNumber = fc.oneof(
  fc.integer().map(String),
  fc.maxSafeInteger().map(String),
  fc.bigInt(-(2n ** 65n), 2n ** 65n).map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => JSON.stringify(number)),
  fc.constantFrom(
    '0',
    '-0',
    '0.0',
    '-1',
    '1e5',
    '1E-5',
    '10',
    '999999999999999999',
    '-999999999999999999',
    '1000000000000000000',
  ),
);

const arbString = fc.oneof(
  fc.string().map((text) => JSON.stringify(text)),
  fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text.toWellFormed())),
  fc.constantFrom(
    '"\\u0061"',
    '"\\/"',
    '"\\\\"',
    '"a\\\\\\""',
    '"\\ud83d\\ude00"',
    '"}"',
    '"]"',
    '","',
    '"\u007f"',
  ),
);

const arbSpace = fc.constantFrom('', '', '', '', '', ' ', '\n', '\t');

/** Text that is JSON, in every way in which it may be written. */
const { value: arbValue, object: arbObject } = fc.letrec<{ value: string; object: string }>(
  (tie) => ({
    value: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.constantFrom('null', 'true', 'false'),
      arbNumber,
      arbString,
      fc
        .tuple(arbSpace, fc.array(tie('value'), { maxLength: 3 }))
        .map(([space, values]) => `[${space}${values.join(`,${space}`)}]`),
      tie('object'),
    ),
    object: fc
      .tuple(arbSpace, fc.array(fc.tuple(arbName, fc.nat(9), tie('value')), { maxLength: 5 }))
      .map(([space, members]) => {
        const written = members.map(
          ([name, chance, value]) => `${nameOf(name, chance === 0)}:${space}${value}`,
        );
        return `{${written.join(`${space},`)}${space}}`;
      }),
  }),
);
const arbText = fc.oneof({ weight: 4, arbitrary: arbObject }, { weight: 1, arbitrary: arbValue });

function nameOf(name: string, isEscaped: boolean): string {
  if (!isEscaped) return JSON.stringify(name);
  const escaped = name.replaceAll(
    /./g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `"${escaped}"`;
}

describe('a member of JSON', () => {
  it('[DB-15] is found without parsing the rest', () => {
    // SQLite itself says of such a text that it is no JSON: so these operators are ours.
    expect(answers(own, '{"a":1,"b":[tru]}', 'a')).toEqual({ refused: 'malformed JSON' });
    expect(answers(ours, '{"a":1,"b":[tru]}', 'a')).toEqual([
      'text',
      '1',
      '[1]',
      'integer',
      1n,
      '[1]',
    ]);
  });

  it('[DB-15] is what SQLite itself finds, in any text that is JSON', () => {
    fc.assert(
      fc.property(
        arbText,
        fc.oneof(arbName, fc.constantFrom('$.a.ab', '$', 'absent', 0, -1, null)),
        (text, key) => {
          // Twice: what was seen is remembered.
          expectSame(text, key);
          expectSame(text, key);
        },
      ),
      { numRuns: 20_000 },
    );
  });

  it.each([
    [null, 'a'],
    ['{"a":1}', null],
    [5, 'a'],
    [1.5, 'a'],
    ['', 'a'],
    ['{', 'a'],
    ['{}', 'a'],
    ['{"a":1}x', 'a'],
    ['{"a":1', 'a'],
    ['{"a"', 'a'],
    ['{"a', 'a'],
    ['{"a\\', 'a'],
    ['{"a":"\\', 'a'],
    ['{"a":"b', 'a'],
    ['{"a":', 'a'],
    ['{,}', 'a'],
    ['[1,2]', 1],
    ['{"a":1}', ''],
    ['{"a":1}', '$'],
    ['{"a":1}', '$.'],
    ['{"a":1}', 'a"'],
    [Buffer.from('{"a":1}'), 'a'],
  ])('[DB-15] where it is asked for strangely, of %j the member %j, too', expectSame);

  it('[DB-15] of texts that are alike, that are long, that are many, or that have many members', () => {
    const members = (count: number, value: unknown): string =>
      JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, n) => [`m${n}`, value])));
    const texts = [
      ...Array.from({ length: 40 }, (_, n) => `{"a":${10 + n},"ab":"x"}`),
      ...[2040, 2047, 2048, 2049, 70_000].map(
        (length) => `{"b":"${'x'.repeat(length - 14)}","a":1}`,
      ),
      ...[31, 32, 33, 100].map((count) => members(count, 'v')),
      members(3, { a: { a: 1 } }),
    ];
    for (const text of [...texts, ...texts.toReversed()]) {
      for (const key of ['a', 'ab', 'b', 'm0', 'm30', 'm31', 'm32', 'm99']) expectSame(text, key);
    }
  });

  it('[DB-15] and an index made of it with either is sound for both', () => {
    const path = join(tempFolder(), 'members.db');
    const insert = 'INSERT INTO runs (facts) VALUES (?)';
    const byOwn = new SQLite(path);
    byOwn.exec(`CREATE TABLE runs (
      facts TEXT NOT NULL CHECK (json_valid(facts)),
      phase TEXT GENERATED ALWAYS AS (facts ->> 'phase') VIRTUAL,
      data TEXT GENERATED ALWAYS AS (facts -> 'data') VIRTUAL
    ) STRICT;
    CREATE INDEX runs_phase ON runs (phase);
    CREATE INDEX runs_data ON runs (data) WHERE phase IS NOT NULL;`);
    const byOurs = openWith(path);
    fc.assert(
      fc.property(arbValue, fc.boolean(), (value, isOurs) => {
        const facts = `{"id":"x","phase":${value},"data":${value}}`;
        (isOurs ? byOurs : byOwn).prepare(insert).run(facts);
      }),
      { numRuns: 400 },
    );
    for (const sqlite of [byOwn, byOurs]) {
      expect(sqlite.pragma('integrity_check', { simple: true })).toBe('ok');
      expect(sqlite.prepare('SELECT count(*) FROM runs').pluck().get()).toBeGreaterThanOrEqual(400);
      sqlite.close();
    }
  });
});
