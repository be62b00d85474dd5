// A form that starts an input manually.
import { Play } from 'lucide-react';
import { useState, type FormEvent } from 'react';
import { MAX_NAME_LENGTH } from '#shared/limits.ts';
import { useApp } from '#renderer/app-context.tsx';
import { parseTypedJson } from '#renderer/editor/typed-json.ts';
import { NO_ENTRY, TopicChoice, topicOf } from '#renderer/inputs/topic-choice.tsx';
import { useWorkflowNames } from '#renderer/lists/use-workflow-names.ts';
import { href } from '#renderer/router.ts';
import { useActions } from '#renderer/shell/actions.ts';
import { inputsText } from '#renderer/text/inputs-text.ts';
import { Button } from '#renderer/ui/button.tsx';
import { Failure } from '#renderer/ui/failure.tsx';
import { FormButtons } from '#renderer/ui/form-buttons.tsx';
import { Sheet } from '#renderer/ui/sheet.tsx';
import { TextInput } from '#renderer/ui/text-input.tsx';
import { say } from '#renderer/ui/toast.ts';
import { useAct } from '#renderer/use-act.ts';

const WORDS = inputsText.start;

export function StartByHand() {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  useActions(
    () => [
      {
        id: 'inputs.start',
        name: WORDS.title,
        group: 'page',
        icon: Play,
        run: () => setOpen(true),
      },
    ],
    [],
  );
  return (
    <>
      <Button look="primary" onPress={() => setOpen(true)}>
        <Play aria-hidden className="size-3.5" />
        {WORDS.open}
      </Button>
      <Sheet title={WORDS.title} isOpen={isOpen} onClose={close}>
        <StartForm onClose={close} />
      </Sheet>
    </>
  );
}

function StartForm({ onClose }: { readonly onClose: () => void }) {
  const { client, router } = useApp();
  const workflows = useWorkflowNames();
  const [entry, setEntry] = useState(NO_ENTRY);
  const [title, setTitle] = useState('');
  const [payload, setPayload] = useState('');
  const [isRefused, setRefused] = useState(false);
  const typed = parseTypedJson(payload);
  const act = useAct({
    idFor: 'form',
    act: (requestId) =>
      client.call('inputs.start', {
        requestId,
        workflowId: entry.workflowId,
        ...topicOf(entry),
        ...(title.trim() === '' ? {} : { title }),
        payload: typed.ok ? typed.value : null,
      }),
    onDone: ({ input }) => {
      onClose();
      say({ sentence: WORDS.started });
      router.navigate(href.input(input.id));
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const isFine = typed.ok && entry.workflowId !== '';
    setRefused(!isFine);
    if (isFine) act.perform();
  };
  return (
    <form onSubmit={submit} className="grid gap-4 px-5 pt-2 pb-5">
      <p className="text-muted">{WORDS.hint}</p>
      <TopicChoice workflows={workflows} entry={entry} onChange={setEntry} isRefused={isRefused} />
      <TextInput label={WORDS.name} value={title} onChange={setTitle} maxLength={MAX_NAME_LENGTH} />
      <TextInput
        label={WORDS.payload}
        hint={WORDS.payloadHint}
        value={payload}
        onChange={setPayload}
        isInvalid={isRefused && !typed.ok}
        problem={isRefused && !typed.ok ? WORDS.payloadProblem : undefined}
        lines={{ rows: 5, code: true }}
      />
      <Failure error={act.error} />
      <FormButtons
        submit={act.pending ? WORDS.submitting : WORDS.submit}
        pending={act.pending}
        onCancel={onClose}
      />
    </form>
  );
}
