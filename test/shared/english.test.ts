import { describe, expect, it } from 'vitest';
import { capitalized, withArticle } from '#shared/english.ts';
import { reject } from '#shared/rejection.ts';

describe('the article', () => {
  it.each([
    ['automation run', 'an automation run'],
    ['event', 'an event'],
    ['input', 'an input'],
    ['unknown effect', 'an unknown effect'],
    ['hour', 'an hour'],
    ['HTTP call', 'an HTTP call'],
    ['consumer run', 'a consumer run'],
    ['unit', 'a unit'],
    ['user', 'a user'],
    ['one-time token', 'a one-time token'],
    ['host', 'a host'],
  ])('[CL-4] of "%s" follows its sound', (noun, expected) => {
    expect(withArticle(noun)).toBe(expected);
  });
});

it('[CL-4] a rejection is a sentence with the right article and without underscores', () => {
  const { message } = reject('automation run', 'timed_out', 'go_on');
  expect(message).toBe(
    `An automation run in the state "timed out" can't take "go on". Nothing was changed.`,
  );
  expect(capitalized('an effect')).toBe('An effect');
});
