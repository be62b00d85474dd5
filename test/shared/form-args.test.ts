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

describe('script form', () => {
  test('[RU-15] parses values by type and omits empty ones', () => {
    const values = { target: 'all', jobs: ' 2 ', level: '', force: true };
    expect(readForm(ARGS, values)).toEqual({
      args: { target: 'all', jobs: 2, force: true },
      flaws: {},
    });
  });

  test('[RU-15] reports invalid and missing values by argument', () => {
    const values = { target: 'ALL', jobs: '9', level: 'medium', force: false };
    expect(readForm(ARGS, values).flaws).toEqual({
      target: "doesn't match the pattern [a-z]+",
      jobs: 'must be at most 8',
      level: 'must be one of low, high',
    });
    expect(readForm(ARGS, { target: '', jobs: 'x' }).flaws).toEqual({
      target: 'is required',
      jobs: 'must be a whole number',
    });
    expect(readForm(ARGS, { target: '-x' }).flaws['target']).toBeDefined();
  });

  test('[NU-7] refuses a number with more digits than can be passed on', () => {
    const args = [arg('id', { type: 'integer' }), arg('rate', { type: 'number' })];
    expect(readForm(args, { id: '12345678901234567891', rate: '0.12345678901234567891' })).toEqual({
      args: {},
      flaws: {
        id: 'has too many digits for a whole number; make it a string in the registry',
        rate: 'has too many digits for a number; make it a string in the registry',
      },
    });
    expect(readForm(args, { id: '9007199254740991', rate: '1e3' }).args).toEqual({
      id: 9007199254740991,
      rate: 1000,
    });
  });

  test('[RU-16] starts with the arguments of an earlier job that the registry still lists', () => {
    expect(formValues(ARGS, { target: 'all', jobs: 3, force: true, gone: 1 })).toEqual({
      target: 'all',
      jobs: '3',
      level: '',
      force: true,
    });
    expect(formValues(ARGS, {})).toEqual({ target: '', jobs: '', level: '', force: false });
  });
});
