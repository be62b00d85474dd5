// Converts form values to script arguments by type, with the same checks as the host.
import { checkArg, readNumber } from '#shared/runner/check-arg.ts';
import type { ArgSpec } from '#shared/runner/registry.ts';

export type ArgValue = string | number | boolean;

/** Field values: text, or whether a checkbox is checked. Empty text means no value. */
export type FormValues = Readonly<Record<string, string | boolean>>;

export interface NamedArg {
  readonly name: string;
  readonly spec: ArgSpec;
}

export interface ReadForm {
  readonly args: { readonly [name: string]: ArgValue };
  /** By argument: a phrase that follows its name. */
  readonly flaws: { readonly [name: string]: string };
}

export function readForm(specs: readonly NamedArg[], values: FormValues): ReadForm {
  const args: { [name: string]: ArgValue } = {};
  const flaws: { [name: string]: string } = {};
  for (const { name, spec } of specs) {
    const value = readValue(spec, values[name]);
    if (value === undefined) {
      if (spec.required) flaws[name] = 'is required';
      continue;
    }
    const checked = checkArg(spec, value);
    if (checked.ok) args[name] = value;
    else flaws[name] = checked.flaw;
  }
  return { args, flaws };
}

/** Fills the form from earlier arguments. Arguments that the registry no longer lists are dropped. */
export function formValues(
  specs: readonly NamedArg[],
  args: { readonly [name: string]: unknown },
): FormValues {
  return Object.fromEntries(
    specs.map(({ name, spec }) => {
      const value = Object.hasOwn(args, name) ? args[name] : spec.default;
      if (spec.type === 'boolean') return [name, value === true];
      const isShown = typeof value === 'string' || typeof value === 'number';
      return [name, isShown && Object.hasOwn(args, name) ? String(value) : ''];
    }),
  );
}

function readValue({ type }: ArgSpec, typed: string | boolean | undefined): ArgValue | undefined {
  if (type === 'boolean') return typed === true;
  if (typeof typed !== 'string' || typed === '') return undefined;
  if (type === 'string' || type === 'path') return typed;
  return readNumber(typed);
}
