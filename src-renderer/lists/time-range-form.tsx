import { useState, type FormEvent } from 'react';
import {
  fromLocalField,
  isReversed,
  toLocalField,
  type TimeRange,
} from '#renderer/format/time-range.ts';
import { timeRangeText } from '#renderer/text/time-range-text.ts';
import { FormButtons } from '#renderer/ui/buttons/form-buttons.tsx';
import { TimeInput } from '#renderer/ui/fields/time-input.tsx';

interface Props {
  readonly range: TimeRange;
  readonly onClose: () => void;
  readonly onChoose: (range: Pick<TimeRange, 'from' | 'to'>) => void;
}

/** Use inside a `Sheet`. */
export function TimeRangeForm({ range, onClose, onChoose }: Props) {
  const [from, setFrom] = useState(() => toLocalField(range.from));
  const [to, setTo] = useState(() => toLocalField(range.to));
  const typed = { from: fromLocalField(from), to: fromLocalField(to) };
  const isInvalid = isReversed(typed);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isInvalid) onChoose(typed);
  };
  return (
    <form onSubmit={submit} className="grid gap-4 px-5 pt-3 pb-5">
      <div className="grid gap-4 sm:grid-cols-2">
        <TimeInput label={timeRangeText.from} value={from} onChange={setFrom} takesFocus />
        <TimeInput
          label={timeRangeText.to}
          value={to}
          onChange={setTo}
          problem={isInvalid ? timeRangeText.upsideDown : undefined}
        />
      </div>
      <p className="text-[0.8125rem] text-muted">{timeRangeText.hint}</p>
      <FormButtons submitLabel={timeRangeText.submit} isPending={false} onCancel={onClose} />
    </form>
  );
}
