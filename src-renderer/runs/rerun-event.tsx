// Reruns an event, after a warning that its effect happens again.
import { useState } from 'react';
import type { EventView } from '#shared/api/handler-runs.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { parseJson } from '#renderer/format/parse-typed-json.ts';
import { text } from '#renderer/text/text.ts';
import { Confirm } from '#renderer/ui/feedback/confirm.tsx';
import { Disclosure } from '#renderer/ui/layout/disclosure.tsx';
import { TextInput } from '#renderer/ui/fields/text-input.tsx';
import { DialogButton } from '#renderer/ui/buttons/dialog-button.tsx';
import { useDialogAction } from '#renderer/client/use-dialog-action.ts';

interface Props {
  readonly runId: string;
  readonly event: EventView;
  readonly onDone: () => void;
}

export function RerunEvent({ runId, event, onDone }: Props) {
  return (
    <DialogButton
      size="small"
      label={text.run.rerun}
      subject={text.workflows.of(event.title)}
      title={text.rerun.title}
    >
      {(close) => <RerunForm runId={runId} event={event} onClose={close} onDone={onDone} />}
    </DialogButton>
  );
}

function RerunForm({ runId, event, onClose, onDone }: Props & { readonly onClose: () => void }) {
  const { client } = useApp();
  // The attempt when the dialog opened. After a lost reply, a retry must not rerun twice.
  const [attempt] = useState(event.attempt);
  const [typed, setTyped] = useState(() => JSON.stringify(event.payload, null, 2));
  const [isEdited, setEdited] = useState(false);
  const payload = isEdited ? parseJson(typed) : undefined;
  const isInvalid = isEdited && payload === undefined;
  const rerun = useDialogAction({
    action: async () => {
      const run = await client.call('handlerRuns.get', { handlerRunId: runId });
      const now = run.eventsIn.find(({ id }) => id === event.id);
      if (now?.attempt !== attempt) return;
      const edited = payload === undefined ? {} : { payload };
      await client.call('events.rerun', { eventId: event.id, ...edited });
    },
    onClose,
    onDone,
  });
  return (
    <Confirm
      warning={text.rerun.warning}
      submitLabel={rerun.isPending ? text.rerun.submitting : text.rerun.submit}
      action={{ ...rerun, perform: () => (isInvalid ? undefined : rerun.perform()) }}
      onCancel={onClose}
    >
      <p dir="auto" className="font-medium wrap-anywhere">
        {event.title}
      </p>
      <Disclosure label={text.rerun.edit}>
        <div className="grid gap-2">
          <TextInput
            label={text.rerun.input}
            hint={text.rerun.inputHint}
            value={typed}
            onChange={(changed) => {
              setTyped(changed);
              setEdited(true);
            }}
            isInvalid={isInvalid}
            lines={{ rows: 8, isCode: true }}
          />
          <p role="alert" className="text-[0.8125rem] text-bad empty:hidden">
            {isInvalid ? text.rerun.inputProblem : null}
          </p>
        </div>
      </Disclosure>
    </Confirm>
  );
}
