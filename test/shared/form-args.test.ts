import { describe, expect, test } from 'vitest';
import { formValues, readForm, type NamedArg } from '#shared/runner/form-args.ts';
import { argSchema } from '#shared/runner/registry.ts';

const arg = (name: string, spec: object): NamedArg => ({ name, spec: argSchema.parse(spec) });

const ARGS = [
  arg('target', { type: 'string', required: true, pattern: '[a-z]+' }),
  arg('jobs', { type: 'integer', min: 1, max: 8, default: 4 }),
  arg('level', { type: 'string', choices: ['low', 'high'] }),
  arg('force', { type: 'boolean', flag: '--force' }),
];

describe('the form of a script', () => {
  test('[RU-15] reads what was typed by its type, and leaves out what is empty', () => {
    const values = { target: 'all', jobs: ' 2 ', level: '', force: true };
    expect(readForm(ARGS, values)).toEqual({
      args: { target: 'all', jobs: 2, force: true },
      flaws: {},
    });
  });

  test('[RU-15] says what is wrong in the words of the host', () => {
    const values = { target: 'ALL', jobs: '9', level: 'medium', force: false };
    expect(readForm(ARGS, values).flaws).toEqual({
      target: 'doesn’t match the pattern [a-z]+',
      jobs: 'must be at most 8',
      level: 'must be one of low, high',
    });
    expect(readForm(ARGS, { target: '', jobs: 'x' }).flaws).toEqual({
      target: 'is required',
      jobs: 'must be a whole number',
    });
    expect(readForm(ARGS, { target: '-x' }).flaws['target']).toBeDefined();
  });

  test('[RU-16] begins with the arguments of an earlier job, as far as they are still there', () => {
    expect(formValues(ARGS, { target: 'all', jobs: 3, force: true, gone: 1 })).toEqual({
      target: 'all',
      jobs: '3',
      level: '',
      force: true,
    });
    expect(formValues(ARGS, {})).toEqual({ target: '', jobs: '', level: '', force: false });
  });
});
