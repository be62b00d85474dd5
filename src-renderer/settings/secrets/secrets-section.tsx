// Secrets by name. A value is sent to the host once and never read back.
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { useApp } from '#renderer/shell/app-context.tsx';
import { SecretForm } from '#renderer/settings/secrets/secret-form.tsx';
import { text } from '#renderer/text/text.ts';
import { DialogButton } from '#renderer/ui/buttons/dialog-button.tsx';
import { ConfirmAction } from '#renderer/ui/feedback/confirm-action.tsx';
import { EmptyState } from '#renderer/ui/layout/empty-state.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { PageSkeleton } from '#renderer/ui/layout/page-skeleton.tsx';
import { useLiveCall } from '#renderer/stores/use-live-call.ts';

const TEXT = text.settings.secrets;

export function SecretsSection() {
  const { answer, error, refresh } = useLiveCall('secrets.names', {});
  const [message, setMessage] = useState('');
  const changed = (sentence: string): void => {
    setMessage(sentence);
    refresh();
  };
  return (
    <>
      <p className="text-muted">{TEXT.hint}</p>
      <div className="flex flex-wrap items-center gap-3">
        <DialogButton variant="primary" label={TEXT.add} title={TEXT.add}>
          {(close) => <SecretForm onClose={close} onSaved={changed} />}
        </DialogButton>
        <span role="status" className="text-[0.8125rem] text-muted">
          {message}
        </span>
      </div>
      <Failure error={error} />
      {answer === null && error === null ? <PageSkeleton label={TEXT.loading} /> : null}
      {answer?.names.length === 0 ? (
        <EmptyState icon={KeyRound} title={TEXT.emptyTitle} hint={TEXT.emptyHint} isCompact />
      ) : null}
      {answer && answer.names.length > 0 ? (
        <ul className="divide-y divide-line rounded-lg bg-surface shadow-raised ring-1 ring-line">
          {answer.names.map((name) => (
            <SecretRow key={name} name={name} onChanged={changed} />
          ))}
        </ul>
      ) : null}
    </>
  );
}

interface RowProps {
  readonly name: string;
  readonly onChanged: (sentence: string) => void;
}

function SecretRow({ name, onChanged }: RowProps) {
  const { client } = useApp();
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2">
      <code className="min-w-0 font-mono text-[0.8125rem] font-medium wrap-anywhere">{name}</code>
      <span className="text-[0.8125rem] text-muted">{TEXT.masked}</span>
      <span className="ml-auto flex gap-1">
        <DialogButton
          size="small"
          variant="quiet"
          label={TEXT.replace}
          subject={TEXT.of(name)}
          title={TEXT.replaceTitle(name)}
        >
          {(close) => <SecretForm name={name} onClose={close} onSaved={onChanged} />}
        </DialogButton>
        <DialogButton
          size="small"
          variant="quiet"
          label={TEXT.remove}
          subject={TEXT.of(name)}
          title={TEXT.removeTitle(name)}
        >
          {(close) => (
            <ConfirmAction
              warning={TEXT.removeWarning}
              submitLabel={TEXT.removeSubmit}
              action={() => client.call('secrets.remove', { name })}
              onDone={() => onChanged(TEXT.removed(name))}
              onClose={close}
            />
          )}
        </DialogButton>
      </span>
    </li>
  );
}
