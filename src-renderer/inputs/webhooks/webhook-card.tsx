import { useId } from 'react';
import type { HookView } from '#shared/api/inputs.ts';
import { RemoveWebhook, RotateWebhookSecret } from '#renderer/inputs/webhooks/webhook-actions.tsx';
import { curlCommand } from '#renderer/inputs/webhooks/webhook-curl.ts';
import {
  webhookAddress,
  exampleAddress,
  CodeField,
} from '#renderer/inputs/webhooks/webhook-secret.tsx';
import { href } from '#renderer/navigation/router.ts';
import { dedupSentence, WEBHOOK_AUTH_LABELS, inputsText } from '#renderer/text/inputs-text.ts';
import { Disclosure } from '#renderer/ui/layout/disclosure.tsx';
import { Fact, Facts } from '#renderer/ui/layout/facts.tsx';
import { TextLink } from '#renderer/ui/buttons/text-link.tsx';
import { ExactTime, RelativeTime } from '#renderer/ui/display/time.tsx';

const TEXT = inputsText.webhooks;

interface Props {
  readonly hook: HookView;
  readonly onChanged: () => void;
}

export function WebhookCard({ hook, onChanged }: Props) {
  const titleId = useId();
  const address = webhookAddress(hook);
  const isFullAddress = address !== hook.path;
  return (
    <article
      aria-labelledby={titleId}
      className="grid gap-3 rounded-lg bg-surface px-4 py-3 shadow-raised ring-1 ring-line"
    >
      <header className="flex flex-wrap items-center justify-between gap-2">
        <div className="grid min-w-0">
          <h2 id={titleId} className="font-semibold wrap-anywhere">
            <bdi>{hook.name}</bdi>
          </h2>
          <span className="text-[0.8125rem] text-muted">
            {TEXT.takes(hook.workflowName, hook.topic)}
          </span>
        </div>
        <div className="flex flex-wrap gap-2">
          <RotateWebhookSecret hook={hook} onDone={onChanged} />
          <RemoveWebhook hook={hook} onDone={onChanged} />
        </div>
      </header>
      <WebhookFacts hook={hook} />
      <CodeField
        label={TEXT.address}
        {...(isFullAddress ? {} : { hint: TEXT.addressElsewhere })}
        code={address}
      />
      <Disclosure label={TEXT.tryIt} subject={hook.name}>
        <CodeField
          label={TEXT.command}
          hint={TEXT.tryHintSecret}
          code={curlCommand(hook, exampleAddress(hook))}
        />
      </Disclosure>
    </article>
  );
}

function WebhookFacts({ hook }: { readonly hook: HookView }) {
  return (
    <Facts columns="always">
      <Fact name={TEXT.proof}>{WEBHOOK_AUTH_LABELS[hook.auth.kind]}</Fact>
      <Fact name={TEXT.oneInput}>{dedupSentence(hook.dedup)}</Fact>
      <Fact name={inputsText.name}>
        {hook.accepted === 0 ? (
          <span className="text-muted">{TEXT.never}</span>
        ) : (
          <TextLink to={href.inputs({ source: hook.name })}>
            {TEXT.accepted(hook.accepted)}
          </TextLink>
        )}
      </Fact>
      {hook.lastAcceptedAt === null ? null : (
        <Fact name={TEXT.last}>
          <RelativeTime at={hook.lastAcceptedAt} />
        </Fact>
      )}
      {hook.redactPaths.length === 0 ? null : (
        <Fact name={TEXT.redacts}>{hook.redactPaths.join(', ')}</Fact>
      )}
      {hook.rotatedAt === null ? null : (
        <Fact name={TEXT.rotated}>
          <RelativeTime at={hook.rotatedAt} />
        </Fact>
      )}
      {hook.previousUntil === null ? null : (
        <Fact name={TEXT.oldUntil}>
          <ExactTime at={hook.previousUntil} />
        </Fact>
      )}
    </Facts>
  );
}
