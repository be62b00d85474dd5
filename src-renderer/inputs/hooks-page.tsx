// The hooks of this device.
import { Plus, Webhook } from 'lucide-react';
import { useState } from 'react';
import type { CallOutput } from '#shared/api/contract.ts';
import { HookCard } from '#renderer/inputs/hook-card.tsx';
import { HookForm } from '#renderer/inputs/hook-form.tsx';
import { HookSecret } from '#renderer/inputs/hook-secret.tsx';
import { href } from '#renderer/router.ts';
import { useActions } from '#renderer/shell/actions.ts';
import { inputsText } from '#renderer/text/inputs-text.ts';
import { text } from '#renderer/text/text.ts';
import { BackLink } from '#renderer/ui/back-link.tsx';
import { Button } from '#renderer/ui/button.tsx';
import { EmptyState } from '#renderer/ui/empty-state.tsx';
import { Failure } from '#renderer/ui/failure.tsx';
import { Page } from '#renderer/ui/page.tsx';
import { PageSkeleton } from '#renderer/ui/page-skeleton.tsx';
import { Sheet } from '#renderer/ui/sheet.tsx';
import { useCall } from '#renderer/use-call.ts';

const WORDS = inputsText.hooks;

export function HooksPage() {
  const { answer, error, refresh } = useCall('hooks.list', {}, ['hooks'], ['trigger_events']);
  const [isOpen, setOpen] = useState(false);
  useActions(
    () => [
      {
        id: 'hooks.create',
        name: WORDS.create,
        group: 'page',
        icon: Plus,
        run: () => setOpen(true),
      },
    ],
    [],
  );
  return (
    <Page
      title={WORDS.title}
      above={<BackLink to={href.inputs()}>{inputsText.name}</BackLink>}
      actions={
        <Button look="primary" onPress={() => setOpen(true)}>
          <Plus aria-hidden className="size-3.5" />
          {WORDS.create}
        </Button>
      }
    >
      <p className="max-w-3xl text-muted">{WORDS.hint}</p>
      <Failure error={error}>
        <Button size="small" onPress={refresh} className="justify-self-start">
          {text.app.tryAgain}
        </Button>
      </Failure>
      {answer === null && error === null ? <PageSkeleton label={WORDS.loading} /> : null}
      {answer?.hooks.length === 0 ? (
        <EmptyState icon={Webhook} title={WORDS.emptyTitle} hint={WORDS.emptyHint} />
      ) : null}
      <div className="grid max-w-3xl gap-4">
        {answer?.hooks.map((hook) => (
          <HookCard key={hook.id} hook={hook} onChanged={refresh} />
        ))}
      </div>
      <NewHook isOpen={isOpen} onClose={() => setOpen(false)} onMade={refresh} />
    </Page>
  );
}

interface NewHookProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onMade: () => void;
}

function NewHook({ isOpen, onClose, onMade }: NewHookProps) {
  const [made, setMade] = useState<CallOutput<'hooks.create'> | null>(null);
  const close = (): void => {
    setMade(null);
    onClose();
  };
  return (
    <Sheet
      title={made === null ? WORDS.createTitle : WORDS.made(made.hook.name)}
      isOpen={isOpen}
      onClose={close}
    >
      {made === null ? (
        <HookForm
          onClose={close}
          onMade={(output) => {
            setMade(output);
            onMade();
          }}
        />
      ) : (
        <HookSecret {...made} onDone={close} />
      )}
    </Sheet>
  );
}
