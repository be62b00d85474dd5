// Secrets by name. A value is sent to the host once and never read back.
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { RemoveSecret } from '#renderer/settings/remove-secret.tsx';
import { SecretForm } from '#renderer/settings/secret-form.tsx';
import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/button.tsx';
import { EmptyState } from '#renderer/ui/empty-state.tsx';
import { Failure } from '#renderer/ui/failure.tsx';
import { PageSkeleton } from '#renderer/ui/page-skeleton.tsx';
import { Sheet } from '#renderer/ui/sheet.tsx';
import { useCall } from '#renderer/use-call.ts';

const WORDS = text.settings.secrets;

export function SecretsSection() {
  const { answer, error, refresh } = useCall('secrets.names', {});
  const [said, setSaid] = useState('');
  const [isAdding, setIsAdding] = useState(false);
  const close = (): void => setIsAdding(false);
  const changed = (sentence: string): void => {
    setSaid(sentence);
    refresh();
  };
  return (
    <>
      <p className="text-muted">{WORDS.hint}</p>
      <div className="flex flex-wrap items-center gap-3">
        <Button look="primary" onPress={() => setIsAdding(true)}>
          {WORDS.add}
        </Button>
        <span role="status" className="text-[0.8125rem] text-muted">
          {said}
        </span>
      </div>
      <Failure error={error} />
      {answer === null && error === null ? <PageSkeleton label={WORDS.loading} /> : null}
      {answer?.names.length === 0 ? (
        <EmptyState icon={KeyRound} title={WORDS.emptyTitle} hint={WORDS.emptyHint} isTight />
      ) : null}
      {answer && answer.names.length > 0 ? (
        <ul className="divide-y divide-line rounded-lg bg-surface shadow-raised ring-1 ring-line">
          {answer.names.map((name) => (
            <SecretRow key={name} name={name} onChanged={changed} />
          ))}
        </ul>
      ) : null}
      <Sheet title={WORDS.add} isOpen={isAdding} onClose={close}>
        <SecretForm onClose={close} onKept={changed} />
      </Sheet>
    </>
  );
}

interface RowProps {
  readonly name: string;
  readonly onChanged: (sentence: string) => void;
}

function SecretRow({ name, onChanged }: RowProps) {
  const [asks, setAsks] = useState<'replace' | 'remove' | null>(null);
  const close = (): void => setAsks(null);
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2">
      <code className="min-w-0 font-mono text-[0.8125rem] font-medium wrap-anywhere">{name}</code>
      <span className="text-[0.8125rem] text-muted">{WORDS.masked}</span>
      <span className="ml-auto flex gap-1">
        <Button size="small" look="quiet" onPress={() => setAsks('replace')}>
          {WORDS.replace}
          <span className="sr-only">{WORDS.of(name)}</span>
        </Button>
        <Button size="small" look="quiet" onPress={() => setAsks('remove')}>
          {WORDS.remove}
          <span className="sr-only">{WORDS.of(name)}</span>
        </Button>
      </span>
      <Sheet title={WORDS.replaceTitle(name)} isOpen={asks === 'replace'} onClose={close}>
        <SecretForm name={name} onClose={close} onKept={onChanged} />
      </Sheet>
      <Sheet title={WORDS.removeTitle(name)} isOpen={asks === 'remove'} onClose={close}>
        <RemoveSecret name={name} onClose={close} onRemoved={onChanged} />
      </Sheet>
    </li>
  );
}
