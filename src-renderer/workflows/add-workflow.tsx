import { useState, type FormEvent, type ReactNode } from 'react';
import type { CallOutput } from '#shared/api/contract.ts';
import type { ApiError } from '#shared/api/errors.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { FormButtons } from '#renderer/ui/buttons/form-buttons.tsx';
import { Notice } from '#renderer/ui/feedback/notice.tsx';
import { Sheet } from '#renderer/ui/layout/sheet.tsx';
import { TextInput } from '#renderer/ui/fields/text-input.tsx';
import { useIdempotentAction } from '#renderer/client/use-idempotent-action.ts';
import { FileProblems, parseProblems } from '#renderer/workflows/file-problems.tsx';

interface Props {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onAdded: () => void;
}

export function AddWorkflow({ isOpen, onClose, onAdded }: Props) {
  return (
    <Sheet title={text.addWorkflow.title} isOpen={isOpen} onClose={onClose}>
      <AddWorkflowForm onClose={onClose} onAdded={onAdded} />
    </Sheet>
  );
}

function AddWorkflowForm({ onClose, onAdded }: Omit<Props, 'isOpen'>) {
  const { client } = useApp();
  const [path, setPath] = useState('');
  const [warnings, setWarnings] = useState<readonly string[]>([]);
  const onDone = (added: CallOutput<'workflows.add'>): void => {
    onAdded();
    if (added.warnings.length === 0) onClose();
    else setWarnings(added.warnings);
  };
  const adding = useIdempotentAction({
    idFor: 'form',
    action: () => client.call('workflows.add', { path: path.trim() }),
    onDone,
  });
  const linking = useIdempotentAction({
    idFor: 'form',
    action: () => client.call('workflows.add', { path: path.trim(), link: true }),
    onDone,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (path.trim() !== '') adding.perform();
  };
  if (warnings.length > 0) return <AddedWithWarnings warnings={warnings} onClose={onClose} />;

  return (
    <form onSubmit={submit} className="grid gap-4 px-5 pt-4 pb-5">
      <TextInput
        label={text.addWorkflow.path}
        hint={text.addWorkflow.pathHint}
        placeholder={text.addWorkflow.pathPlaceholder}
        value={path}
        onChange={setPath}
        isRequired
        takesFocus
      />
      <AddFailure error={linking.error ?? adding.error}>
        {adding.error?.reason === 'name_in_use' ? (
          <Button size="small" isPending={linking.isPending} onPress={linking.perform}>
            {text.addWorkflow.link}
          </Button>
        ) : null}
      </AddFailure>
      <FormButtons
        submitLabel={adding.isPending ? text.addWorkflow.submitting : text.addWorkflow.submit}
        isPending={adding.isPending}
        onCancel={onClose}
      />
    </form>
  );
}

function AddFailure({ error, children }: { readonly error: ApiError | null; children: ReactNode }) {
  const problems = error === null ? null : parseProblems(error.problems);
  return (
    <>
      <div role="alert" className="empty:hidden">
        {problems === null ? null : <FileProblems problems={problems} />}
      </div>
      <Failure error={problems === null ? error : null}>{children}</Failure>
    </>
  );
}

interface AddedWithWarningsProps {
  readonly warnings: readonly string[];
  readonly onClose: () => void;
}

function AddedWithWarnings({ warnings, onClose }: AddedWithWarningsProps) {
  return (
    <div className="grid gap-4 px-5 pt-4 pb-5">
      <Notice tone="plain">
        <p className="font-medium">{text.addWorkflow.warnings}</p>
        {warnings.map((warning) => (
          <p key={warning}>{warning}</p>
        ))}
      </Notice>
      <Button variant="primary" onPress={onClose} className="justify-self-end">
        {text.addWorkflow.done}
      </Button>
    </div>
  );
}
