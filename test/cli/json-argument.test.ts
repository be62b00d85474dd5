import { expect, test } from 'vitest';
import { parseJsonArgument } from '#main/cli/options/json-argument.ts';

test('[NU-1] a number on the command line that JavaScript would change is text with its digits', () => {
  expect(parseJsonArgument('{"total":12345678901234567891,"n":2}')).toEqual({
    total: '12345678901234567891',
    n: 2,
  });
});
