// How long inputs wait for a person.
import { useState } from 'react';
import { readDuration } from '#shared/authoring/duration.ts';
import {
  isReminderBeforeEnd,
  NEEDS_HUMAN_ENDS,
  type NeedsHuman,
} from '#shared/inputs/needs-human.ts';
import { useIdempotentAction } from '#renderer/client/use-idempotent-action.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { useLiveCall } from '#renderer/stores/use-live-call.ts';
import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { Select } from '#renderer/ui/fields/select.tsx';
import { TextInput } from '#renderer/ui/fields/text-input.tsx';
import { PageSkeleton } from '#renderer/ui/layout/page-skeleton.tsx';
import { Panel } from '#renderer/ui/layout/panel.tsx';

const TEXT = text.settings.waiting;
const ENDS = NEEDS_HUMAN_ENDS.map((id) => ({ id, name: TEXT.ends[id] }));

export function NeedsHumanSection() {
  const { answer, error, refresh } = useLiveCall('needsHuman.get', {});
  return (
    <>
      <p className="text-muted">{TEXT.hint}</p>
      <Failure error={error} />
      {answer === null && error === null ? <PageSkeleton label={TEXT.loading} /> : null}
      {answer ? <NeedsHumanForm known={answer} onChanged={refresh} /> : null}
    </>
  );
}

interface Props {
  readonly known: NeedsHuman;
  readonly onChanged: () => void;
}

function NeedsHumanForm({ known, onChanged }: Props) {
  const { client } = useApp();
  const [rule, setRule] = useState(known);
  const [message, setMessage] = useState('');
  const save = useIdempotentAction({
    idFor: 'click',
    action: () => client.call('needsHuman.choose', rule),
    onDone: () => {
      setMessage(TEXT.saved);
      onChanged();
    },
  });
  const { remind, within } = problemsOf(rule);
  const isSaved = (['remind', 'within', 'otherwise'] as const).every(
    (field) => rule[field] === known[field],
  );
  return (
    <Panel title={TEXT.title}>
      <div className="grid gap-3">
        <div className="grid items-start gap-4 sm:grid-cols-3">
          <TextInput
            label={TEXT.remind}
            hint={TEXT.remindHint}
            value={rule.remind}
            onChange={(value) => setRule({ ...rule, remind: value })}
            problem={remind}
          />
          <TextInput
            label={TEXT.within}
            value={rule.within}
            onChange={(value) => setRule({ ...rule, within: value })}
            problem={within}
          />
          <Select
            label={TEXT.otherwise}
            items={ENDS}
            chosen={rule.otherwise}
            onChoose={(id) =>
              setRule({ ...rule, otherwise: id === 'failed' ? 'failed' : 'timed_out' })
            }
          />
        </div>
        <div className="flex flex-wrap items-center gap-3">
          <Button
            variant="primary"
            isDisabled={isSaved || remind !== undefined || within !== undefined}
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
  );
}

function problemsOf(rule: NeedsHuman): { remind?: string; within?: string } {
  const problems = Object.fromEntries(
    (['remind', 'within'] as const)
      .filter((field) => readDuration(rule[field]) === undefined)
      .map((field) => [field, TEXT.problem]),
  );
  if (Object.keys(problems).length > 0 || isReminderBeforeEnd(rule)) return problems;
  return { remind: TEXT.orderProblem };
}
