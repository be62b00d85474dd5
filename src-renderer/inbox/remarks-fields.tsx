// Optional note and result for a decision.
import { ChevronRight } from 'lucide-react';
import { MAX_NAME_LENGTH } from '#shared/limits.ts';
import type { Remarks } from '#renderer/inbox/resolution-buttons.tsx';
import { text } from '#renderer/text/text.ts';
import { TextInput } from '#renderer/ui/fields/text-input.tsx';

interface Props {
  readonly remarks: Remarks;
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
  readonly hasProblem: boolean;
  readonly onChange: (remarks: Remarks) => void;
}

export function RemarksFields({ remarks, isOpen, onOpen, hasProblem, onChange }: Props) {
  return (
    <details
      open={isOpen || hasProblem}
      onToggle={(event) => onOpen(event.currentTarget.open)}
      className="group"
    >
      <summary className="flex w-fit cursor-default list-none items-center gap-1 rounded-sm text-[0.8125rem] text-muted hover:text-ink">
        <ChevronRight aria-hidden className="size-3.5 group-open:rotate-90" />
        {text.unknown.more}
      </summary>
      {/* Mounted on open, so that the note field gets the focus. */}
      {isOpen || hasProblem ? (
        <Fields remarks={remarks} hasProblem={hasProblem} onChange={onChange} />
      ) : null}
    </details>
  );
}

function Fields({ remarks, hasProblem, onChange }: Omit<Props, 'isOpen' | 'onOpen'>) {
  return (
    <div className="mt-2 grid gap-3">
      <TextInput
        label={text.unknown.note}
        hint={text.unknown.noteHint}
        value={remarks.note}
        onChange={(note) => onChange({ ...remarks, note })}
        maxLength={MAX_NAME_LENGTH * 10}
        takesFocus={!hasProblem}
      />
      <TextInput
        label={text.unknown.result}
        hint={text.unknown.resultHint}
        value={remarks.result}
        onChange={(result) => onChange({ ...remarks, result })}
        isInvalid={hasProblem}
        lines={{ rows: 3, isCode: true }}
      />
      <p role="alert" className="text-[0.8125rem] text-bad empty:hidden">
        {hasProblem ? text.unknown.resultProblem : null}
      </p>
    </div>
  );
}
