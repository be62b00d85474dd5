// A form that publishes an event.
import { Send } from 'lucide-react';
import { useState } from 'react';
import type { WorkflowView } from '#shared/api/contract.ts';
import { MAX_NAME_LENGTH } from '#shared/limits.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { parseTypedJson } from '#renderer/format/parse-typed-json.ts';
import { workflowText } from '#renderer/text/workflows-text.ts';
import { TextInput } from '#renderer/ui/fields/text-input.tsx';
import { DialogButton } from '#renderer/ui/buttons/dialog-button.tsx';
import { SheetForm } from '#renderer/ui/fields/sheet-form.tsx';

interface Props {
  readonly workflow: WorkflowView;
  readonly topic: string;
  readonly onPublished: () => void;
}

export function PublishEvent({ workflow, topic, onPublished }: Props) {
  return (
    <DialogButton
      size="small"
      className="justify-self-start"
      icon={Send}
      label={workflowText.publish.open}
      title={workflowText.publish.title(topic)}
    >
      {(close) => (
        <PublishForm workflow={workflow} topic={topic} onClose={close} onPublished={onPublished} />
      )}
    </DialogButton>
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
  const { publish } = workflowText;
  return (
    <SheetForm
      action={(messageId) =>
        client.call('events.publish', {
          workflowId: workflow.id,
          topic,
          messageId,
          title: title.trim(),
          payload: typed.ok ? typed.value : null,
        })
      }
      onDone={onPublished}
      validate={() => {
        setRefused(!typed.ok);
        return typed.ok && title.trim() !== '';
      }}
      submitLabel={publish.submit}
      pendingLabel={publish.submitting}
      onClose={onClose}
      className="pt-2"
    >
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
    </SheetForm>
  );
}
