// The time range of a list: a recent period or a custom range.
import { useState } from 'react';
import { dateAndTime, timeRange } from '#renderer/format-time.ts';
import { RangeForm } from '#renderer/lists/range-form.tsx';
import { ANY_TIME, hasRange, isUpsideDown, PERIODS, type TimeSpan } from '#renderer/period.ts';
import { useActions } from '#renderer/shell/actions.ts';
import { PERIOD_WORDS, timeRangeText } from '#renderer/text/time-range-text.ts';
import { Button } from '#renderer/ui/button.tsx';
import { Choice } from '#renderer/ui/choice.tsx';
import { Sheet } from '#renderer/ui/sheet.tsx';

const CUSTOM = 'custom';

interface Props {
  readonly span: TimeSpan;
  readonly onChoose: (span: TimeSpan) => void;
}

export function TimeChoice({ span, onChoose }: Props) {
  const [isAsking, setIsAsking] = useState(false);
  const isCustom = hasRange(span);
  useActions(
    () => [
      {
        id: 'list.range',
        name: timeRangeText.choose,
        group: 'page',
        keys: 't',
        words: 'period date since until',
        run: () => setIsAsking(true),
      },
    ],
    [],
  );
  const choose = (id: string | null): void => {
    if (id === CUSTOM) setIsAsking(true);
    else onChoose({ ...ANY_TIME, period: PERIODS.find((one) => one === id) });
  };
  return (
    <>
      <Choice
        label={timeRangeText.label}
        all={timeRangeText.all}
        items={[
          ...PERIODS.map((id) => ({ id, name: PERIOD_WORDS[id] })),
          { id: CUSTOM, name: isCustom ? rangeWords(span) : timeRangeText.custom },
        ]}
        isWide={isCustom}
        chosen={isCustom ? CUSTOM : (span.period ?? null)}
        onChoose={choose}
      />
      {isCustom ? (
        <Button onPress={() => setIsAsking(true)}>
          {timeRangeText.change}
          <span className="sr-only">{timeRangeText.changeOf}</span>
        </Button>
      ) : null}
      {isUpsideDown(span) ? (
        <p role="alert" className="w-full text-[0.8125rem] font-medium text-bad">
          {timeRangeText.upsideDown}
        </p>
      ) : null}
      <Sheet title={timeRangeText.title} isOpen={isAsking} onClose={() => setIsAsking(false)}>
        <RangeForm
          span={span}
          onClose={() => setIsAsking(false)}
          onChoose={(range) => {
            setIsAsking(false);
            onChoose({ ...ANY_TIME, ...range });
          }}
        />
      </Sheet>
    </>
  );
}

function rangeWords(span: TimeSpan): string {
  const { from, to } = span;
  const now = Date.now();
  if (from === undefined) return timeRangeText.before(dateAndTime(to ?? 0, now));
  if (to === undefined) return timeRangeText.after(dateAndTime(from, now));
  if (!isUpsideDown(span)) return timeRange(from, to, now);
  return timeRangeText.between(dateAndTime(from, now), dateAndTime(to, now));
}
