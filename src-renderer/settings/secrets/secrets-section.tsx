// Secrets by name. A value is sent to the host once and never read back.
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { RemoveSecret } from '#renderer/settings/secrets/remove-secret.tsx';
import { SecretForm } from '#renderer/settings/secrets/secret-form.tsx';
import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { EmptyState } from '#renderer/ui/layout/empty-state.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { PageSkeleton } from '#renderer/ui/layout/page-skeleton.tsx';
import { Sheet } from '#renderer/ui/layout/sheet.tsx';
import { useLiveCall } from '#renderer/stores/use-live-call.ts';

const TEXT = text.settings.secrets;

export function SecretsSection() {
  const { answer, error, refresh } = useLiveCall('secrets.names', {});
  const [message, setMessage] = useState('');
  const [isAdding, setIsAdding] = useState(false);
  const close = (): void => setIsAdding(false);
  const changed = (sentence: string): void => {
    setMessage(sentence);
    refresh();
  };
  return (
    <>
      <p className="text-muted">{TEXT.hint}</p>
      <div className="flex flex-wrap items-center gap-3">
        <Button variant="primary" onPress={() => setIsAdding(true)}>
          {TEXT.add}
        </Button>
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
      <Sheet title={TEXT.add} isOpen={isAdding} onClose={close}>
        <SecretForm onClose={close} onSaved={changed} />
      </Sheet>
    </>
  );
}

interface RowProps {
  readonly name: string;
  readonly onChanged: (sentence: string) => void;
}

function SecretRow({ name, onChanged }: RowProps) {
  const [openDialog, setOpenDialog] = useState<'replace' | 'remove' | null>(null);
  const close = (): void => setOpenDialog(null);
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2">
      <code className="min-w-0 font-mono text-[0.8125rem] font-medium wrap-anywhere">{name}</code>
      <span className="text-[0.8125rem] text-muted">{TEXT.masked}</span>
      <span className="ml-auto flex gap-1">
        <Button size="small" variant="quiet" onPress={() => setOpenDialog('replace')}>
          {TEXT.replace}
          <span className="sr-only">{TEXT.of(name)}</span>
        </Button>
        <Button size="small" variant="quiet" onPress={() => setOpenDialog('remove')}>
          {TEXT.remove}
          <span className="sr-only">{TEXT.of(name)}</span>
        </Button>
      </span>
      <Sheet title={TEXT.replaceTitle(name)} isOpen={openDialog === 'replace'} onClose={close}>
        <SecretForm name={name} onClose={close} onSaved={onChanged} />
      </Sheet>
      <Sheet title={TEXT.removeTitle(name)} isOpen={openDialog === 'remove'} onClose={close}>
        <RemoveSecret name={name} onClose={close} onRemoved={onChanged} />
      </Sheet>
    </li>
  );
}
