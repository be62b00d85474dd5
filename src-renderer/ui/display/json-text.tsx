// A value as JSON.
import { useMemo } from 'react';
import type { Json } from '#shared/json.ts';
import { CopyJsonButton } from '#renderer/ui/buttons/copy-json-button.tsx';
import { LongText } from '#renderer/ui/display/long-text.tsx';

interface Props {
  readonly label: string;
  readonly value: Json;
}

export function JsonText({ label, value }: Props) {
  const whole = useMemo(() => JSON.stringify(value, null, 2), [value]);
  return (
    <LongText label={label} whole={whole}>
      <CopyJsonButton
        subject={label}
        value={() => value}
        className="absolute top-1 right-3 bg-sunken opacity-0 group-focus-within/json:opacity-100 group-hover/json:opacity-100 focus-visible:opacity-100"
      />
    </LongText>
  );
}
