import { useState, type FormEvent } from 'react';
import type { WorkflowView } from '#shared/api/contract.ts';
import { MAX_NAME_LENGTH } from '#shared/limits.ts';
import { useApp } from '#renderer/app-context.tsx';
import { text } from '#renderer/text.ts';
import { Failure } from '#renderer/ui/failure.tsx';
import { FormButtons } from '#renderer/ui/form-buttons.tsx';
import { Sheet } from '#renderer/ui/sheet.tsx';
import { TextInput } from '#renderer/ui/text-input.tsx';
import { useAct } from '#renderer/use-act.ts';

interface Props {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onCreated: (workflow: WorkflowView) => void;
}

export function NewWorkflow({ isOpen, onClose, onCreated }: Props) {
  return (
    <Sheet title={text.newWorkflow.title} isOpen={isOpen} onClose={onClose}>
      <NewWorkflowForm onClose={onClose} onCreated={onCreated} />
    </Sheet>
  );
}

function NewWorkflowForm({ onClose, onCreated }: Omit<Props, 'isOpen'>) {
  const { client } = useApp();
  const [name, setName] = useState('');
  const [code, setCode] = useState('');
  const creation = useAct({
    idFor: 'form',
    act: (requestId) =>
      client.call('workflows.create', {
        requestId,
        name,
        ...(code.trim() === '' ? {} : { code }),
      }),
    onDone: onCreated,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    creation.perform();
  };

  return (
    <form onSubmit={submit} className="grid gap-4 px-5 pt-4 pb-5">
      <TextInput
        label={text.newWorkflow.name}
        hint={text.newWorkflow.nameHint}
        placeholder={text.newWorkflow.namePlaceholder}
        value={name}
        onChange={setName}
        maxLength={MAX_NAME_LENGTH}
        isRequired
        takesFocus
      />
      <TextInput
        label={text.newWorkflow.code}
        hint={text.newWorkflow.codeHint}
        value={code}
        onChange={setCode}
        lines={{ rows: 8, code: true }}
      />
      <Failure error={creation.error} />
      <FormButtons
        submit={creation.pending ? text.newWorkflow.submitting : text.newWorkflow.submit}
        pending={creation.pending}
        onCancel={onClose}
      />
    </form>
  );
}
