// Retention of history, with a preview of what would be archived.
import { useState } from 'react';
import type { RetentionView } from '#shared/api/upkeep.ts';
import { MAX_RETENTION_DAYS } from '#shared/limits.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { ArchiveNow } from '#renderer/settings/history/archive-now.tsx';
import { RawPayloadDays } from '#renderer/settings/history/raw-payload-days.tsx';
import { RetentionPreview } from '#renderer/settings/history/retention-preview.tsx';
import { upkeepText } from '#renderer/text/upkeep-text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { Panel } from '#renderer/ui/layout/panel.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { Select } from '#renderer/ui/fields/select.tsx';
import { PageSkeleton } from '#renderer/ui/layout/page-skeleton.tsx';
import { TextInput } from '#renderer/ui/fields/text-input.tsx';
import { useIdempotentAction } from '#renderer/client/use-idempotent-action.ts';
import { useLiveCall } from '#renderer/stores/use-live-call.ts';

const TEXT = upkeepText.history;

const FOREVER = 'forever';
const OTHER = 'other';
const PRESET_DAYS = ['30', '90', '365'];
const CHOICES = [
  { id: FOREVER, name: TEXT.forever },
  ...PRESET_DAYS.map((days) => ({
    id: days,
    name: days === '365' ? TEXT.year : TEXT.days(Number(days)),
  })),
  { id: OTHER, name: TEXT.other },
];

export function HistorySection() {
  const { answer, error, refresh } = useLiveCall('retention.get', {});
  return (
    <>
      <p className="text-muted">{TEXT.hint}</p>
      <Failure error={error} />
      {answer === null && error === null ? <PageSkeleton label={TEXT.loading} /> : null}
      {answer ? <RetentionForm known={answer} onChanged={refresh} /> : null}
      <RawPayloadDays />
    </>
  );
}

interface Props {
  readonly known: RetentionView;
  readonly onChanged: () => void;
}

function RetentionForm({ known, onChanged }: Props) {
  const { client } = useApp();
  const [choice, setChoice] = useState(() => choiceOf(known.days));
  const [typed, setTyped] = useState(() => String(known.days ?? ''));
  const [message, setMessage] = useState('');
  /** Increments after archiving, to reload the preview. */
  const [passes, setPasses] = useState(0);
  const days = daysOf(choice, typed);
  const save = useIdempotentAction({
    idFor: 'click',
    action: () => client.call('retention.choose', { days: days ?? null }),
    onDone: () => {
      setMessage(TEXT.saved);
      onChanged();
    },
  });
  const isSaved = days === known.days;
  return (
    <>
      <Panel title={TEXT.title}>
        <div className="grid gap-3">
          <div className="flex flex-wrap items-start gap-x-4 gap-y-3">
            <div className="w-64 max-w-full">
              <Select label={TEXT.label} items={CHOICES} chosen={choice} onChoose={setChoice} />
            </div>
            {choice === OTHER ? (
              <div className="w-40">
                <TextInput
                  label={TEXT.otherLabel}
                  value={typed}
                  onChange={setTyped}
                  problem={days === undefined ? TEXT.badDays(MAX_RETENTION_DAYS) : undefined}
                />
              </div>
            ) : null}
          </div>
          <div className="flex flex-wrap items-center gap-3">
            <Button
              variant="primary"
              isDisabled={days === undefined || isSaved}
              isPending={save.isPending}
              onPress={save.perform}
            >
              {TEXT.save}
            </Button>
            <span role="status" className="text-[0.8125rem] text-muted">
              {message}
            </span>
          </div>
          <Failure error={save.error} />
        </div>
      </Panel>
      {days === undefined ? null : <RetentionPreview key={`${days} ${passes}`} days={days} />}
      <ArchiveNow
        isDisabled={!isSaved || known.days === null}
        onArchived={(rows) => {
          setMessage(TEXT.archived(rows));
          setPasses((before) => before + 1);
          onChanged();
        }}
      />
    </>
  );
}

function choiceOf(days: number | null): string {
  if (days === null) return FOREVER;
  return PRESET_DAYS.includes(String(days)) ? String(days) : OTHER;
}

/** Null means forever, undefined an invalid number. */
function daysOf(choice: string, typed: string): number | null | undefined {
  if (choice === FOREVER) return null;
  const days = Number(choice === OTHER ? typed.trim() : choice);
  return Number.isInteger(days) && days >= 1 && days <= MAX_RETENTION_DAYS ? days : undefined;
}
