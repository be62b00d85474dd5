import { expect, test } from 'vitest';
import { parseTypedJson } from '#renderer/format/parse-typed-json.ts';

test('[NU-1] a number typed in the window that JavaScript would change is text with its digits', () => {
  expect(parseTypedJson('{"total":12345678901234567891,"n":2}')).toEqual({
    ok: true,
    value: { total: '12345678901234567891', n: 2 },
  });
  expect(parseTypedJson(' ')).toEqual({ ok: true, value: null });
  expect(parseTypedJson('{')).toEqual({ ok: false });
});
