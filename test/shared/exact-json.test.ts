import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { changesNumbers, isExact, parseExactJson } from '#shared/exact-json.ts';
import { canonicalJson, type Json } from '#shared/json.ts';

const MIB = 1024 * 1024;

/** The number as a fraction of whole numbers: the sum of its digits, exactly. */
function valueOf(number: string): readonly [digits: bigint, power: number] {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? [];
  let digits = BigInt(sign + whole + fraction);
  // 0 + …: an exponent of -0 is 0.
  let power = 0 + Number(exponent) - fraction.length;
  for (; digits !== 0n && digits % 10n === 0n; power += 1) digits /= 10n;
  return [digits, digits === 0n ? 0 : power];
}

const digits = (most: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...'0123456789'.split('')), minLength: 1, maxLength: most });

const writtenNumber = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.oneof(
      fc.bigInt().map((whole) => String(whole < 0n ? -whole : whole)),
      fc.bigInt(2n ** 53n - 5n, 2n ** 53n + 5n).map(String),
      fc.nat().map(String),
    ),
    fc.option(digits(25), { nil: '' }),
    fc.option(fc.tuple(fc.constantFrom('e', 'E'), fc.constantFrom('', '+', '-'), digits(4)), {
      nil: null,
    }),
  )
  .map(
    ([sign, whole, fraction, exponent]) =>
      sign + whole + (fraction === '' ? '' : `.${fraction}`) + (exponent?.join('') ?? ''),
  );

const pick = (place: number, numbers: readonly string[]): string =>
  numbers[Math.trunc(Math.abs(place)) % numbers.length] as string;

/** JSON text of this shape, with one of the numbers for each of its own. */
function textOf(shape: unknown, numbers: readonly string[]): string {
  if (typeof shape === 'number') return pick(shape, numbers);
  if (Array.isArray(shape)) return `[ ${shape.map((one) => textOf(one, numbers)).join(' ,')}\n]`;
  if (typeof shape !== 'object' || shape === null) return JSON.stringify(shape);
  const members = Object.entries(shape).map(
    ([key, one]) => `${JSON.stringify(key)} : ${textOf(one, numbers)}`,
  );
  return `{${members.join(',')}}`;
}

function expectArrived(arrived: unknown, shape: unknown, numbers: readonly string[]): void {
  if (typeof shape === 'number') {
    const number = pick(shape, numbers);
    expect(arrived).toBe(isExact(number) ? Number(number) : number);
  } else if (typeof shape !== 'object' || shape === null) expect(arrived).toBe(shape);
  else {
    expect(Object.keys(arrived as object)).toEqual(Object.keys(shape));
    for (const key of Object.keys(shape)) {
      const [one, placed] = [arrived, shape].map((all) => (all as Record<string, unknown>)[key]);
      expectArrived(one, placed, numbers);
    }
  }
}

describe('parseExactJson', () => {
  test.prop([writtenNumber], { examples: [['9007199254740987e-0']] })(
    '[NU-1] a number of any size arrives as the same number, or as text with the same digits',
    (number) => {
      const arrived = parseExactJson(number);
      if (typeof arrived === 'string') expect(arrived).toBe(number);
      else expect(valueOf(JSON.stringify(arrived))).toEqual(valueOf(number));
      expect(isExact(number)).toBe(typeof arrived === 'number');
    },
  );

  test.prop([fc.jsonValue(), fc.array(writtenNumber, { minLength: 1 })])(
    '[NU-1] numbers inside of any JSON arrive with their digits, and nothing else changes',
    (shape, numbers) => {
      expectArrived(parseExactJson(textOf(shape, numbers)), shape, numbers);
    },
  );

  it.each([
    ['9007199254740991', 9007199254740991],
    ['-9007199254740991', -9007199254740991],
    ['9007199254740992', '9007199254740992'],
    ['9007199254740993', '9007199254740993'],
    ['-9007199254740993', '-9007199254740993'],
    ['12345678901234567000', '12345678901234567000'],
    ['12345678901234567891', '12345678901234567891'],
    ['0.1', 0.1],
    ['0.30000000000000004', 0.30000000000000004],
    ['1234567890123456.0', 1234567890123456],
    ['1.5000000000000000000000', 1.5],
    ['123456789.123456789123', '123456789.123456789123'],
    ['0.10000000000000001', '0.10000000000000001'],
    ['1e300', 1e300],
    ['1.7976931348623157E+308', Number.MAX_VALUE],
    ['5e-324', 5e-324],
    ['1e400', '1e400'],
    ['-1E+400', '-1E+400'],
    ['1e-400', '1e-400'],
    ['3e-324', '3e-324'],
    ['0e999', 0],
    ['1e0000000000000000000000000002', 100],
  ])('[NU-1] %s arrives as %j', (text, arrived) => {
    expect(parseExactJson(text)).toBe(arrived);
    expect(parseExactJson(`{"a":[${text}]}`)).toEqual({ a: [arrived] });
  });

  it('[NU-1] zero has no sign', () => {
    expect(JSON.stringify(parseExactJson('[-0,-0.0,-0e500]'))).toBe('[0,0,0]');
  });

  it('[NU-1] digits in texts and keys stay as they are', () => {
    const value = { '12345678901234567891': 'say "12345678901234567891", \\ or 1e999' };
    expect(parseExactJson(JSON.stringify(value))).toEqual(value);
    expect(parseExactJson('"\\\\" ')).toBe('\\');
    expect(parseExactJson('["\\\\\\"1e999",12345678901234567891]')).toEqual([
      '\\"1e999',
      '12345678901234567891',
    ]);
  });

  it('[NU-2] text that is not JSON is refused as by JSON.parse', () => {
    const invalid = [
      '{12345678901234567891:1}',
      '012345678901234567891',
      '12345678901234567891x',
      '12345678901234567891 2',
      '[1234567890123456789.]',
      '"12345678901234567891',
      '-',
      '',
    ];
    const messageOf = (parse: (text: string) => unknown, text: string): string => {
      try {
        return `accepted: ${JSON.stringify(parse(text))}`;
      } catch (error) {
        return String(error);
      }
    };
    for (const text of invalid) {
      expect(messageOf(parseExactJson, text)).toMatch(/^SyntaxError/);
      expect(messageOf(parseExactJson, text)).toBe(messageOf(JSON.parse, text));
    }
  });

  it('[NU-2] a key named "__proto__" stays a key, and deep nesting does not overflow the stack', () => {
    const parsed = parseExactJson('{"__proto__":{"a":12345678901234567891}}');
    expect(JSON.stringify(parsed)).toBe('{"__proto__":{"a":"12345678901234567891"}}');
    expect(Object.keys(parsed as object)).toEqual(['__proto__']);
    const deep = `${'['.repeat(100_000)}1e999${']'.repeat(100_000)}`;
    expect(() => parseExactJson(deep)).not.toThrow();
  });

  it.each([
    ['one number', '7'.repeat(MIB)],
    ['a fraction of zeros', `0.${'0'.repeat(MIB)}1`],
    ['trailing zeros', `1.${'0'.repeat(MIB)}`],
    ['an exponent', `1e${'1'.repeat(MIB)}`],
    ['numbers that are just short enough', `[${'123456789012345,'.repeat(MIB / 16)}1]`],
    ['numbers of twenty digits', `[${'12345678901234567891,'.repeat(MIB / 21)}1]`],
    ['short numbers and a long one', `[${'1,'.repeat(MIB / 2)}12345678901234567891]`],
    ['large exponents', `[${'1e400,'.repeat(MIB / 6)}1]`],
    ['a text of digits', `"${'7'.repeat(MIB)}"`],
    ['a text of escapes', `"${'\\"'.repeat(MIB / 2)}12345678901234567891"`],
  ])('[NU-2] 1 MiB of %s takes less than 100 ms of computing', (_what, text) => {
    const least = Math.min(
      ...[1, 2, 3].map(() => {
        const before = process.cpuUsage();
        parseExactJson(text);
        return process.cpuUsage(before).user / 1000;
      }),
    );
    expect(least).toBeLessThan(100);
  });
});

describe('changesNumbers', () => {
  test.prop([fc.jsonValue()])(
    '[NU-5] what JSON.stringify wrote is never changed, also a whole number beyond the safe range',
    (value) => {
      expect(changesNumbers(JSON.stringify([value, 2 ** 60, 1e20, 1e21, Number.MAX_VALUE]))).toBe(
        false,
      );
    },
  );

  test.prop([writtenNumber])('[NU-5] finds every number that parsing changes', (number) => {
    const again = canonicalJson(JSON.parse(number) as Json);
    const isSame = again !== 'null' && String(valueOf(again)) === String(valueOf(number));
    expect(changesNumbers(`[${number}]`)).toBe(!isSame);
  });
});
