import { useState, type FormEvent } from 'react';
import { Label, Radio, RadioGroup } from 'react-aria-components';
import type { CallOutput } from '#shared/api/contract.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { upkeepText } from '#renderer/text/upkeep-text.ts';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { FormButtons } from '#renderer/ui/buttons/form-buttons.tsx';
import { useIdempotentAction } from '#renderer/client/use-idempotent-action.ts';

const TEXT = upkeepText.restored;
type WaitingEvents = 'skip' | 'do';

export type RestoredWorkflow = CallOutput<'restored.get'>['workflows'][number];

interface Props {
  readonly workflow: RestoredWorkflow;
  readonly onClose: () => void;
  readonly onResumed: (sentence: string) => void;
}

/** Use inside a `Sheet`. The harmless option is preselected. */
export function ResumeRestored({ workflow: { id, name, waiting }, onClose, onResumed }: Props) {
  const { client } = useApp();
  const [choice, setChoice] = useState<WaitingEvents>('skip');
  const resume = useIdempotentAction<CallOutput<'restored.goOn'>>({
    idFor: 'form',
    action: () => client.call('restored.goOn', { workflowId: id, waiting: choice }),
    onDone: ({ skipped }) => {
      onClose();
      onResumed(TEXT.resumed(name, skipped));
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    resume.perform();
  };
  return (
    <form onSubmit={submit} className="grid gap-4 px-5 pt-3 pb-5">
      <p className="text-muted">{TEXT.resumeHint(waiting)}</p>
      {waiting === 0 ? null : (
        <RadioGroup
          value={choice}
          onChange={(value) => setChoice(value === 'do' ? 'do' : 'skip')}
          className="grid gap-2"
        >
          <Label className="font-medium">{TEXT.question}</Label>
          <WaitingEventsOption value="skip" name={TEXT.skip} hint={TEXT.skipHint} />
          <WaitingEventsOption value="do" name={TEXT.do} hint={TEXT.doHint} />
        </RadioGroup>
      )}
      <Failure error={resume.error} />
      <FormButtons submitLabel={TEXT.submit} isPending={resume.isPending} onCancel={onClose} />
    </form>
  );
}

function WaitingEventsOption({
  value,
  name,
  hint,
}: {
  value: WaitingEvents;
  name: string;
  hint: string;
}) {
  return (
    <Radio
      value={value}
      className="group flex gap-3 rounded-md px-3 py-2 ring-1 ring-line ring-inset data-hovered:bg-hover data-selected:ring-2 data-selected:ring-accent"
    >
      <span
        aria-hidden
        className="mt-0.5 size-4 shrink-0 rounded-full ring-1 ring-line-strong ring-inset group-data-selected:bg-on-accent group-data-selected:ring-5 group-data-selected:ring-accent-fill"
      />
      <span className="grid gap-0.5">
        <span className="font-medium">{name}</span>
        <span className="text-[0.8125rem] text-muted">{hint}</span>
      </span>
    </Radio>
  );
}
