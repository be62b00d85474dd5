// The time range of a list: a recent period or a custom range.
import { useState } from 'react';
import { dateAndTime, formatTimeRange } from '#renderer/format/format-time.ts';
import { TimeRangeForm } from '#renderer/lists/time-range-form.tsx';
import {
  ANY_TIME,
  hasRange,
  isReversed,
  PERIODS,
  type TimeRange,
} from '#renderer/format/time-range.ts';
import { usePageCommand } from '#renderer/commands/command-registry.ts';
import { PERIOD_LABELS, timeRangeText } from '#renderer/text/time-range-text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { FilterSelect } from '#renderer/ui/fields/filter-select.tsx';
import { Sheet } from '#renderer/ui/layout/sheet.tsx';

const CUSTOM = 'custom';

interface Props {
  readonly range: TimeRange;
  readonly onChoose: (span: TimeRange) => void;
}

export function TimeRangeFilter({ range, onChoose }: Props) {
  const [isDialogOpen, setDialogOpen] = useState(false);
  const isCustom = hasRange(range);
  usePageCommand({
    id: 'list.range',
    name: timeRangeText.choose,
    keys: 't',
    isHarmless: true,
    keywords: 'period date since until',
    run: () => setDialogOpen(true),
  });
  const choose = (id: string | null): void => {
    if (id === CUSTOM) setDialogOpen(true);
    else onChoose({ ...ANY_TIME, period: PERIODS.find((one) => one === id) });
  };
  return (
    <>
      <FilterSelect
        label={timeRangeText.label}
        allLabel={timeRangeText.all}
        items={[
          ...PERIODS.map((id) => ({ id, name: PERIOD_LABELS[id] })),
          { id: CUSTOM, name: isCustom ? rangeLabel(range) : timeRangeText.custom },
        ]}
        isWide={isCustom}
        chosen={isCustom ? CUSTOM : (range.period ?? null)}
        onChoose={choose}
      />
      {isCustom ? (
        <Button onPress={() => setDialogOpen(true)}>
          {timeRangeText.change}
          <span className="sr-only">{timeRangeText.changeOf}</span>
        </Button>
      ) : null}
      {isReversed(range) ? (
        <p role="alert" className="w-full text-[0.8125rem] font-medium text-bad">
          {timeRangeText.upsideDown}
        </p>
      ) : null}
      <Sheet title={timeRangeText.title} isOpen={isDialogOpen} onClose={() => setDialogOpen(false)}>
        <TimeRangeForm
          range={range}
          onClose={() => setDialogOpen(false)}
          onChoose={(typed) => {
            setDialogOpen(false);
            onChoose({ ...ANY_TIME, ...typed });
          }}
        />
      </Sheet>
    </>
  );
}

function rangeLabel(span: TimeRange): string {
  const { from, to } = span;
  const now = Date.now();
  if (from === undefined) return timeRangeText.before(dateAndTime(to ?? 0, now));
  if (to === undefined) return timeRangeText.after(dateAndTime(from, now));
  if (!isReversed(span)) return formatTimeRange(from, to, now);
  return timeRangeText.between(dateAndTime(from, now), dateAndTime(to, now));
}
