// A form field for one script argument, by type.
import { Checkbox } from 'react-aria-components';
import type { ArgSpec } from '#shared/runner/registry.ts';
import { text } from '#renderer/text/text.ts';
import { CheckboxBox } from '#renderer/ui/fields/checkbox-box.tsx';
import { Select } from '#renderer/ui/fields/select.tsx';
import { TextInput } from '#renderer/ui/fields/text-input.tsx';

interface Props {
  readonly name: string;
  readonly spec: ArgSpec;
  readonly value: string | boolean | undefined;
  /** The problem, worded to follow the argument's name. */
  readonly flaw: string | undefined;
  readonly onChange: (value: string | boolean) => void;
}

export function ArgField({ name, spec, value, flaw, onChange }: Props) {
  if (spec.type === 'boolean') {
    return (
      <Checkbox
        isSelected={value === true}
        onChange={onChange}
        className="flex cursor-default items-start gap-2.5"
      >
        {({ isSelected }) => (
          <>
            <CheckboxBox isChecked={isSelected} />
            <span className="grid gap-0.5">
              <span className="font-medium">{name}</span>
              {spec.description === undefined ? null : (
                <span className="text-[0.8125rem] text-muted">{spec.description}</span>
              )}
            </span>
          </>
        )}
      </Checkbox>
    );
  }
  const problem = flaw === undefined ? undefined : text.runScript.flaw(flaw);
  const shown = typeof value === 'string' ? value : '';
  if (spec.choices) {
    return (
      <Select
        label={name}
        hint={hintOf(spec)}
        problem={problem}
        placeholder={text.runScript.choose}
        items={[
          ...(spec.required ? [] : [{ id: '', name: text.runScript.choose }]),
          ...spec.choices.map((choice) => ({ id: String(choice), name: String(choice) })),
        ]}
        chosen={shown}
        onChoose={onChange}
      />
    );
  }
  return (
    <TextInput
      label={name}
      hint={hintOf(spec)}
      problem={problem}
      value={shown}
      onChange={onChange}
      isRequired={spec.required}
    />
  );
}

function hintOf(spec: ArgSpec): string {
  return [
    spec.description ?? '',
    spec.type === 'path' ? text.runScript.path : text.runScript.number(spec.min, spec.max),
    spec.required ? text.runScript.required : '',
    spec.default === undefined ? '' : text.runScript.byDefault(String(spec.default)),
  ]
    .filter((part) => part !== '')
    .join(' ');
}
