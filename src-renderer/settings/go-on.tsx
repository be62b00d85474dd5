import { useState, type FormEvent } from 'react';
import { Label, Radio, RadioGroup } from 'react-aria-components';
import type { CallOutput } from '#shared/api/contract.ts';
import { useApp } from '#renderer/app-context.tsx';
import { upkeepText } from '#renderer/text/upkeep-text.ts';
import { Failure } from '#renderer/ui/failure.tsx';
import { FormButtons } from '#renderer/ui/form-buttons.tsx';
import { useAct } from '#renderer/use-act.ts';

const WORDS = upkeepText.restored;
type Waiting = 'skip' | 'do';

export type StandingStill = CallOutput<'restored.get'>['workflows'][number];

interface Props {
  readonly workflow: StandingStill;
  readonly onClose: () => void;
  readonly onWentOn: (sentence: string) => void;
}

/** Use inside a `Sheet`. The harmless option is preselected. */
export function GoOn({ workflow: { id, name, waiting }, onClose, onWentOn }: Props) {
  const { client } = useApp();
  const [choice, setChoice] = useState<Waiting>('skip');
  const goOn = useAct<CallOutput<'restored.goOn'>>({
    idFor: 'form',
    act: () => client.call('restored.goOn', { workflowId: id, waiting: choice }),
    onDone: ({ skipped }) => {
      onClose();
      onWentOn(WORDS.wentOn(name, skipped));
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    goOn.perform();
  };
  return (
    <form onSubmit={submit} className="grid gap-4 px-5 pt-3 pb-5">
      <p className="text-muted">{WORDS.goOnHint(waiting)}</p>
      {waiting === 0 ? null : (
        <RadioGroup
          value={choice}
          onChange={(value) => setChoice(value === 'do' ? 'do' : 'skip')}
          className="grid gap-2"
        >
          <Label className="font-medium">{WORDS.question}</Label>
          <Way value="skip" name={WORDS.skip} hint={WORDS.skipHint} />
          <Way value="do" name={WORDS.do} hint={WORDS.doHint} />
        </RadioGroup>
      )}
      <Failure error={goOn.error} />
      <FormButtons submit={WORDS.submit} pending={goOn.pending} onCancel={onClose} />
    </form>
  );
}

function Way({ value, name, hint }: { value: Waiting; name: string; hint: string }) {
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
