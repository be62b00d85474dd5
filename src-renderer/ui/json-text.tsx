// A value as JSON text: other people's text, shown as text, whatever it holds.
import type { Json } from '#shared/json.ts';

interface Props {
  readonly label: string;
  readonly value: Json;
  readonly className?: string;
}

export function JsonText({ label, value, className = '' }: Props) {
  return (
    <pre
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- to scroll it with the keyboard.
      tabIndex={0}
      role="group"
      aria-label={label}
      className={`max-h-72 overflow-auto rounded-md bg-sunken px-3 py-2.5 font-mono text-xs leading-5 wrap-anywhere whitespace-pre-wrap ${className}`}
    >
      {JSON.stringify(value, null, 2)}
    </pre>
  );
}
