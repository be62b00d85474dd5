// Reruns an event, after a warning that its effect happens again.
import { useState } from 'react';
import type { EventView } from '#shared/api/handler-runs.ts';
import type { Json } from '#shared/json.ts';
import { useApp } from '#renderer/app-context.tsx';
import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/button.tsx';
import { Confirm } from '#renderer/ui/confirm.tsx';
import { Disclosure } from '#renderer/ui/disclosure.tsx';
import { Sheet } from '#renderer/ui/sheet.tsx';
import { TextInput } from '#renderer/ui/text-input.tsx';
import { useAct } from '#renderer/use-act.ts';

interface Props {
  readonly runId: string;
  readonly event: EventView;
  readonly onDone: () => void;
}

export function RerunEvent({ runId, event, onDone }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button size="small" onPress={() => setOpen(true)}>
        {text.run.rerun}
        <span className="sr-only">{text.workflows.of(event.title)}</span>
      </Button>
      <Sheet title={text.rerun.title} isOpen={isOpen} onClose={() => setOpen(false)}>
        <RerunForm
          runId={runId}
          event={event}
          onClose={() => setOpen(false)}
          onDone={() => {
            setOpen(false);
            onDone();
          }}
        />
      </Sheet>
    </>
  );
}

function RerunForm({ runId, event, onClose, onDone }: Props & { readonly onClose: () => void }) {
  const { client } = useApp();
  // The attempt when the dialog opened. After a lost reply, a retry must not rerun twice.
  const [attempt] = useState(event.attempt);
  const [typed, setTyped] = useState(() => JSON.stringify(event.payload, null, 2));
  const [isEdited, setEdited] = useState(false);
  const payload = isEdited ? readJson(typed) : undefined;
  const isBroken = isEdited && payload === undefined;
  const rerun = useAct({
    idFor: 'form',
    act: async () => {
      const run = await client.call('handlerRuns.get', { handlerRunId: runId });
      const now = run.eventsIn.find(({ id }) => id === event.id);
      if (now?.attempt !== attempt) return;
      const edited = payload === undefined ? {} : { payload };
      await client.call('events.rerun', { eventId: event.id, ...edited });
    },
    onDone,
  });
  return (
    <Confirm
      warning={text.rerun.warning}
      submit={rerun.pending ? text.rerun.submitting : text.rerun.submit}
      act={{ ...rerun, perform: () => (isBroken ? undefined : rerun.perform()) }}
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
            isInvalid={isBroken}
            lines={{ rows: 8, code: true }}
          />
          <p role="alert" className="text-[0.8125rem] text-bad empty:hidden">
            {isBroken ? text.rerun.inputProblem : null}
          </p>
        </div>
      </Disclosure>
    </Confirm>
  );
}

/** Undefined for invalid JSON. */
function readJson(typed: string): Json | undefined {
  try {
    return JSON.parse(typed) as Json;
  } catch {
    return undefined;
  }
}
