// Edits the registry file. The host checks it before saving.
import { useState, type FormEvent } from 'react';
import { useStore } from 'zustand';
import { useApp } from '#renderer/shell/app-context.tsx';
import { href } from '#renderer/navigation/router.ts';
import { createRunnerStore } from '#renderer/stores/runner-store.ts';
import { text } from '#renderer/text/text.ts';
import { BackLink } from '#renderer/ui/layout/back-link.tsx';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { Notice } from '#renderer/ui/feedback/notice.tsx';
import { Page } from '#renderer/ui/layout/page.tsx';
import { PageSkeleton } from '#renderer/ui/layout/page-skeleton.tsx';
import { TextInput } from '#renderer/ui/fields/text-input.tsx';
import { useIdempotentAction } from '#renderer/client/use-idempotent-action.ts';
import { useOpenStore } from '#renderer/stores/use-open-store.ts';

export function RegistryPage() {
  const { client } = useApp();
  const store = useOpenStore(() => createRunnerStore(client), [client]);
  const { overview, error } = useStore(store);
  return (
    <Page
      title={text.scripts.field}
      above={<BackLink to={href.scripts()}>{text.runScript.toList}</BackLink>}
    >
      <Failure error={error} />
      {overview === null ? (
        error === null ? (
          <PageSkeleton label={text.scripts.loading} />
        ) : null
      ) : (
        <RegistryForm
          key={overview.registryText}
          path={overview.registryPath}
          savedText={overview.registryText}
          initialProblems={overview.isValid ? [] : overview.problems}
          onSaved={() => void store.refresh()}
        />
      )}
    </Page>
  );
}

interface Props {
  readonly path: string;
  readonly savedText: string;
  readonly initialProblems: readonly string[];
  readonly onSaved: () => void;
}

function RegistryForm({ path, savedText, initialProblems: before, onSaved }: Props) {
  const { client } = useApp();
  const [draft, setDraft] = useState(savedText);
  const [problems, setProblems] = useState(before);
  const [isSaved, setIsSaved] = useState(false);
  const save = useIdempotentAction({
    idFor: 'form',
    action: () => client.call('runner.saveRegistry', { text: draft }),
    onDone: (answer) => {
      setProblems(answer.problems);
      setIsSaved(answer.saved);
      if (answer.saved) onSaved();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.perform();
  };
  return (
    <form onSubmit={submit} className="grid max-w-4xl gap-4">
      <TextInput
        label={text.scripts.field}
        hint={text.scripts.hint(path)}
        value={draft}
        onChange={(value) => {
          setDraft(value);
          setIsSaved(false);
        }}
        isInvalid={problems.length > 0}
        lines={{ rows: 24, isCode: true }}
      />
      <div role="alert" className="empty:hidden">
        {problems.length === 0 ? null : (
          <Notice tone="bad">
            <p>{text.scripts.problems}</p>
            <ul className="list-disc pl-4">
              {problems.map((problem) => (
                <li key={problem}>{problem}</li>
              ))}
            </ul>
          </Notice>
        )}
      </div>
      <Failure error={save.error} />
      <div className="flex items-center gap-3">
        <Button type="submit" variant="primary" isPending={save.isPending}>
          {text.scripts.save}
        </Button>
        <span role="status" className="text-[0.8125rem] text-muted">
          {isSaved ? text.scripts.saved : ''}
        </span>
      </div>
    </form>
  );
}
