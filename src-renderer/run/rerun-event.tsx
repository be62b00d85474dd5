// Has an event run again, on purpose. That is a new effect, so it is said before it is done.
import { useState } from 'react';
import type { EventView } from '#shared/api/handler-runs.ts';
import { useApp } from '#renderer/app-context.tsx';
import { text } from '#renderer/text.ts';
import { Button } from '#renderer/ui/button.tsx';
import { Confirm } from '#renderer/ui/confirm.tsx';
import { Sheet } from '#renderer/ui/sheet.tsx';
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
  // As it was when this was opened: a try again after a lost answer must not be one more rerun.
  const [attempt] = useState(event.attempt);
  const rerun = useAct({
    idFor: 'form',
    act: async () => {
      const run = await client.call('handlerRuns.get', { handlerRunId: runId });
      const now = run.eventsIn.find(({ id }) => id === event.id);
      if (now?.attempt === attempt) await client.call('events.rerun', { eventId: event.id });
    },
    onDone,
  });
  return (
    <Confirm
      warning={text.rerun.warning}
      submit={rerun.pending ? text.rerun.submitting : text.rerun.submit}
      act={rerun}
      onCancel={onClose}
    >
      <p className="font-medium wrap-anywhere">{event.title}</p>
    </Confirm>
  );
}
