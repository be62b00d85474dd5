import { useState, type FormEvent } from 'react';
import { fromLocalField, isUpsideDown, toLocalField, type TimeSpan } from '#renderer/period.ts';
import { timeRangeText } from '#renderer/text/time-range-text.ts';
import { FormButtons } from '#renderer/ui/form-buttons.tsx';
import { TimeInput } from '#renderer/ui/time-input.tsx';

interface Props {
  readonly span: TimeSpan;
  readonly onClose: () => void;
  readonly onChoose: (range: Pick<TimeSpan, 'from' | 'to'>) => void;
}

/** Use inside a `Sheet`. */
export function RangeForm({ span, onClose, onChoose }: Props) {
  const [from, setFrom] = useState(() => toLocalField(span.from));
  const [to, setTo] = useState(() => toLocalField(span.to));
  const range = { from: fromLocalField(from), to: fromLocalField(to) };
  const isWrong = isUpsideDown(range);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isWrong) onChoose(range);
  };
  return (
    <form onSubmit={submit} className="grid gap-4 px-5 pt-3 pb-5">
      <div className="grid gap-4 sm:grid-cols-2">
        <TimeInput label={timeRangeText.from} value={from} onChange={setFrom} takesFocus />
        <TimeInput
          label={timeRangeText.to}
          value={to}
          onChange={setTo}
          problem={isWrong ? timeRangeText.upsideDown : undefined}
        />
      </div>
      <p className="text-[0.8125rem] text-muted">{timeRangeText.hint}</p>
      <FormButtons submit={timeRangeText.submit} pending={false} onCancel={onClose} />
    </form>
  );
}
