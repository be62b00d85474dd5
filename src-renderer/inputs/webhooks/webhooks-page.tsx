// The hooks of this device.
import { Plus, Webhook } from 'lucide-react';
import { useState } from 'react';
import type { CallOutput } from '#shared/api/contract.ts';
import { WebhookCard } from '#renderer/inputs/webhooks/webhook-card.tsx';
import { WebhookForm } from '#renderer/inputs/webhooks/webhook-form.tsx';
import { WebhookSecret } from '#renderer/inputs/webhooks/webhook-secret.tsx';
import { href } from '#renderer/navigation/router.ts';
import { usePageCommand } from '#renderer/commands/command-registry.ts';
import { inputsText } from '#renderer/text/inputs-text.ts';
import { BackLink } from '#renderer/ui/layout/back-link.tsx';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { EmptyState } from '#renderer/ui/layout/empty-state.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { Page } from '#renderer/ui/layout/page.tsx';
import { PageSkeleton } from '#renderer/ui/layout/page-skeleton.tsx';
import { Sheet } from '#renderer/ui/layout/sheet.tsx';
import { useLiveCall } from '#renderer/stores/use-live-call.ts';

const TEXT = inputsText.webhooks;

export function WebhooksPage() {
  const { answer, error, refresh } = useLiveCall(
    'hooks.list',
    {},
    { hooks: 'any', trigger_events: 'slow' },
  );
  const [isOpen, setOpen] = useState(false);
  usePageCommand({
    id: 'hooks.create',
    name: TEXT.create,
    icon: Plus,
    isHarmless: true,
    run: () => setOpen(true),
  });
  return (
    <Page
      title={TEXT.title}
      above={<BackLink to={href.inputs()}>{inputsText.name}</BackLink>}
      actions={
        <Button variant="primary" onPress={() => setOpen(true)}>
          <Plus aria-hidden className="size-3.5" />
          {TEXT.create}
        </Button>
      }
    >
      <p className="max-w-3xl text-muted">{TEXT.hint}</p>
      <Failure error={error} onRetry={refresh} />
      {answer === null && error === null ? <PageSkeleton label={TEXT.loading} /> : null}
      {answer?.hooks.length === 0 ? (
        <EmptyState icon={Webhook} title={TEXT.emptyTitle} hint={TEXT.emptyHint} />
      ) : null}
      <div className="grid max-w-3xl gap-4">
        {answer?.hooks.map((hook) => (
          <WebhookCard key={hook.id} hook={hook} onChanged={refresh} />
        ))}
      </div>
      <NewWebhook isOpen={isOpen} onClose={() => setOpen(false)} onCreated={refresh} />
    </Page>
  );
}

interface NewWebhookProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onCreated: () => void;
}

function NewWebhook({ isOpen, onClose, onCreated }: NewWebhookProps) {
  const [created, setCreated] = useState<CallOutput<'hooks.create'> | null>(null);
  const close = (): void => {
    setCreated(null);
    onClose();
  };
  return (
    <Sheet
      title={created === null ? TEXT.createTitle : TEXT.made(created.hook.name)}
      isOpen={isOpen}
      onClose={close}
    >
      {created === null ? (
        <WebhookForm
          onClose={close}
          onCreated={(output) => {
            setCreated(output);
            onCreated();
          }}
        />
      ) : (
        <WebhookSecret {...created} onDone={close} />
      )}
    </Sheet>
  );
}
