// Retention of history, with a preview of what would be archived.
import { useState } from 'react';
import type { RetentionView } from '#shared/api/upkeep.ts';
import { MAX_RETENTION_DAYS } from '#shared/limits.ts';
import { useApp } from '#renderer/app-context.tsx';
import { ArchiveNow } from '#renderer/settings/archive-now.tsx';
import { WouldLeave } from '#renderer/settings/would-leave.tsx';
import { upkeepText } from '#renderer/text/upkeep-text.ts';
import { Button } from '#renderer/ui/button.tsx';
import { Panel } from '#renderer/ui/facts.tsx';
import { Failure } from '#renderer/ui/failure.tsx';
import { OneOf } from '#renderer/ui/one-of.tsx';
import { PageSkeleton } from '#renderer/ui/page-skeleton.tsx';
import { TextInput } from '#renderer/ui/text-input.tsx';
import { useAct } from '#renderer/use-act.ts';
import { useCall } from '#renderer/use-call.ts';

const WORDS = upkeepText.history;

const FOREVER = 'forever';
const OTHER = 'other';
const USUAL = ['30', '90', '365'];
const CHOICES = [
  { id: FOREVER, name: WORDS.forever },
  ...USUAL.map((days) => ({
    id: days,
    name: days === '365' ? WORDS.year : WORDS.days(Number(days)),
  })),
  { id: OTHER, name: WORDS.other },
];

export function HistorySection() {
  const { answer, error, refresh } = useCall('retention.get', {});
  return (
    <>
      <p className="text-muted">{WORDS.hint}</p>
      <Failure error={error} />
      {answer === null && error === null ? <PageSkeleton label={WORDS.loading} /> : null}
      {answer ? <Choose known={answer} onChanged={refresh} /> : null}
    </>
  );
}

interface Props {
  readonly known: RetentionView;
  readonly onChanged: () => void;
}

function Choose({ known, onChanged }: Props) {
  const { client } = useApp();
  const [choice, setChoice] = useState(() => choiceOf(known.days));
  const [typed, setTyped] = useState(() => String(known.days ?? ''));
  const [said, setSaid] = useState('');
  /** Increments after archiving, to reload the preview. */
  const [passes, setPasses] = useState(0);
  const days = daysOf(choice, typed);
  const save = useAct({
    idFor: 'click',
    act: () => client.call('retention.choose', { days: days ?? null }),
    onDone: () => {
      setSaid(WORDS.saved);
      onChanged();
    },
  });
  const isKept = days === known.days;
  return (
    <>
      <Panel title={WORDS.title}>
        <div className="grid gap-3">
          <div className="flex flex-wrap items-start gap-x-4 gap-y-3">
            <div className="w-64 max-w-full">
              <OneOf label={WORDS.label} items={CHOICES} chosen={choice} onChoose={setChoice} />
            </div>
            {choice === OTHER ? (
              <div className="w-40">
                <TextInput
                  label={WORDS.otherLabel}
                  value={typed}
                  onChange={setTyped}
                  isInvalid={days === undefined}
                  problem={days === undefined ? WORDS.badDays(MAX_RETENTION_DAYS) : undefined}
                />
              </div>
            ) : null}
          </div>
          <div className="flex flex-wrap items-center gap-3">
            <Button
              look="primary"
              isDisabled={days === undefined || isKept}
              isPending={save.pending}
              onPress={save.perform}
            >
              {WORDS.save}
            </Button>
            <span role="status" className="text-[0.8125rem] text-muted">
              {said}
            </span>
          </div>
          <Failure error={save.error} />
        </div>
      </Panel>
      {days === undefined ? null : <WouldLeave key={`${days} ${passes}`} days={days} />}
      <ArchiveNow
        isDisabled={!isKept || known.days === null}
        onArchived={(rows) => {
          setSaid(WORDS.archived(rows));
          setPasses((before) => before + 1);
          onChanged();
        }}
      />
    </>
  );
}

function choiceOf(days: number | null): string {
  if (days === null) return FOREVER;
  return USUAL.includes(String(days)) ? String(days) : OTHER;
}

/** Null means forever, undefined an invalid number. */
function daysOf(choice: string, typed: string): number | null | undefined {
  if (choice === FOREVER) return null;
  const days = Number(choice === OTHER ? typed.trim() : choice);
  return Number.isInteger(days) && days >= 1 && days <= MAX_RETENTION_DAYS ? days : undefined;
}
