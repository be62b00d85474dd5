// Ends an active session.
import { useState } from 'react';
import { Label, RadioGroup } from 'react-aria-components';
import type { RunView } from '#shared/api/contract.ts';
import { MAX_NAME_LENGTH } from '#shared/limits.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { text } from '#renderer/text/text.ts';
import { SessionChip } from '#renderer/ui/display/status-chip.tsx';
import { TextInput } from '#renderer/ui/fields/text-input.tsx';
import { DialogButton } from '#renderer/ui/buttons/dialog-button.tsx';
import { SheetForm } from '#renderer/ui/fields/sheet-form.tsx';
import { RadioOption } from '#renderer/ui/fields/radio-option.tsx';

const OUTCOMES = ['completed', 'failed', 'canceled'] as const;
type Outcome = (typeof OUTCOMES)[number];

interface Props {
  readonly run: RunView;
  readonly onEnded: () => void;
}

export function EndSession({ run, onEnded }: Props) {
  return (
    <DialogButton label={text.endSession.open} title={text.endSession.title}>
      {(close) => <EndSessionForm run={run} onClose={close} onEnded={onEnded} />}
    </DialogButton>
  );
}

function EndSessionForm({ run, onClose, onEnded }: Props & { readonly onClose: () => void }) {
  const { client } = useApp();
  const [end, setEnd] = useState<Outcome>('completed');
  const [reason, setReason] = useState('');
  return (
    <SheetForm
      action={(terminalEventId) =>
        client.call('runs.finish', {
          runId: run.id,
          status: end,
          terminalEventId,
          ...(reason.trim() === '' ? {} : { error: reason.trim() }),
        })
      }
      onDone={onEnded}
      submitLabel={text.endSession.submit}
      pendingLabel={text.endSession.submitting}
      onClose={onClose}
      className="pt-1"
    >
      <p className="text-muted">{text.endSession.hint}</p>
      <RadioGroup
        value={end}
        onChange={(value) => setEnd(OUTCOMES.find((one) => one === value) ?? end)}
        className="grid gap-1.5"
      >
        <Label className="font-medium">{text.endSession.as}</Label>
        {OUTCOMES.map((one) => (
          <RadioOption key={one} value={one}>
            <span className="w-24 shrink-0">
              <SessionChip status={one} />
            </span>
            <span className="text-[0.8125rem] text-muted">{text.endSession.choices[one]}</span>
          </RadioOption>
        ))}
      </RadioGroup>
      <TextInput
        label={text.endSession.reason}
        hint={text.endSession.reasonHint}
        value={reason}
        onChange={setReason}
        maxLength={MAX_NAME_LENGTH * 10}
        lines={{ rows: 2, isCode: false }}
      />
    </SheetForm>
  );
}
