// A form that publishes an event.
import { Send } from 'lucide-react';
import { useState, type FormEvent } from 'react';
import type { WorkflowView } from '#shared/api/contract.ts';
import { MAX_NAME_LENGTH } from '#shared/limits.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { parseTypedJson } from '#renderer/format/parse-typed-json.ts';
import { workflowText } from '#renderer/text/workflows-text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { FormButtons } from '#renderer/ui/buttons/form-buttons.tsx';
import { Sheet } from '#renderer/ui/layout/sheet.tsx';
import { TextInput } from '#renderer/ui/fields/text-input.tsx';
import { useIdempotentAction } from '#renderer/client/use-idempotent-action.ts';

interface Props {
  readonly workflow: WorkflowView;
  readonly topic: string;
  readonly onPublished: () => void;
}

export function PublishEvent({ workflow, topic, onPublished }: Props) {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  return (
    <>
      <Button size="small" onPress={() => setOpen(true)} className="justify-self-start">
        <Send aria-hidden className="size-3.5" />
        {workflowText.publish.open}
      </Button>
      <Sheet title={workflowText.publish.title(topic)} isOpen={isOpen} onClose={close}>
        <PublishForm
          workflow={workflow}
          topic={topic}
          onClose={close}
          onPublished={() => {
            close();
            onPublished();
          }}
        />
      </Sheet>
    </>
  );
}

function PublishForm({
  workflow,
  topic,
  onPublished,
  onClose,
}: Props & { readonly onClose: () => void }) {
  const { client } = useApp();
  const [title, setTitle] = useState('');
  const [payload, setPayload] = useState('');
  const typed = parseTypedJson(payload);
  const [isRefused, setRefused] = useState(false);
  const publishAction = useIdempotentAction({
    idFor: 'form',
    action: (messageId) =>
      client.call('events.publish', {
        workflowId: workflow.id,
        topic,
        messageId,
        title: title.trim(),
        payload: typed.ok ? typed.value : null,
      }),
    onDone: onPublished,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setRefused(!typed.ok);
    if (typed.ok && title.trim() !== '') publishAction.perform();
  };
  const { publish } = workflowText;
  return (
    <form onSubmit={submit} className="grid gap-4 px-5 pt-2 pb-5">
      <p className="text-muted">{publish.hint}</p>
      <TextInput
        label={publish.name}
        hint={publish.nameHint}
        value={title}
        onChange={setTitle}
        maxLength={MAX_NAME_LENGTH}
        isRequired
        takesFocus
      />
      <TextInput
        label={publish.payload}
        hint={publish.payloadHint}
        value={payload}
        onChange={setPayload}
        isInvalid={isRefused && !typed.ok}
        lines={{ rows: 5, isCode: true }}
      />
      <p role="alert" className="text-[0.8125rem] text-bad empty:hidden">
        {isRefused && !typed.ok ? publish.payloadProblem : null}
      </p>
      <Failure error={publishAction.error} />
      <FormButtons
        submitLabel={publishAction.isPending ? publish.submitting : publish.submit}
        isPending={publishAction.isPending}
        onCancel={onClose}
      />
    </form>
  );
}
