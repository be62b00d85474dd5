import { expect, test } from 'vitest';
import { excerpt } from '#main/cli/print.ts';

test('an excerpt ends with an ellipsis exactly when something was left out', () => {
  expect(excerpt('short', 5)).toBe('short');
  expect(excerpt('longer', 5)).toBe('longe…');
  expect(excerpt('one\ntwo', 5)).toBe('one…');
});
