import { useState } from 'react';
import { Label, RadioGroup } from 'react-aria-components';
import type { CallOutput } from '#shared/api/contract.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { upkeepText } from '#renderer/text/upkeep-text.ts';
import { RadioOption } from '#renderer/ui/fields/radio-option.tsx';
import { SheetForm } from '#renderer/ui/fields/sheet-form.tsx';

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
  return (
    <SheetForm
      action={() => client.call('restored.goOn', { workflowId: id, waiting: choice })}
      onDone={({ skipped }) => onResumed(TEXT.resumed(name, skipped))}
      submitLabel={TEXT.submit}
      onClose={onClose}
      className="pt-3"
    >
      <p className="text-muted">{TEXT.resumeHint(waiting)}</p>
      {waiting === 0 ? null : (
        <RadioGroup
          value={choice}
          onChange={(value) => setChoice(value === 'do' ? 'do' : 'skip')}
          className="grid gap-2"
        >
          <Label className="font-medium">{TEXT.question}</Label>
          {(['skip', 'do'] as const).map((value) => (
            <RadioOption key={value} value={value} isTall>
              <span className="grid gap-0.5">
                <span className="font-medium">{TEXT[value]}</span>
                <span className="text-[0.8125rem] text-muted">{TEXT[`${value}Hint`]}</span>
              </span>
            </RadioOption>
          ))}
        </RadioGroup>
      )}
    </SheetForm>
  );
}
