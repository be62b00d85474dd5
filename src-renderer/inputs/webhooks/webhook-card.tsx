import { useId } from 'react';
import type { HookView } from '#shared/api/inputs.ts';
import { RemoveHook, RotateHook } from '#renderer/inputs/webhooks/webhook-actions.tsx';
import { curlLine } from '#renderer/inputs/webhooks/webhook-curl.ts';
import { addressOf, addressToTry, CodeLine } from '#renderer/inputs/webhooks/webhook-secret.tsx';
import { href } from '#renderer/navigation/router.ts';
import { dedupSentence, HOOK_AUTH_WORDS, inputsText } from '#renderer/text/inputs-text.ts';
import { Disclosure } from '#renderer/ui/layout/disclosure.tsx';
import { Fact, Facts } from '#renderer/ui/layout/facts.tsx';
import { Link } from '#renderer/ui/buttons/link.tsx';
import { ExactTime, RelativeTime } from '#renderer/ui/display/time.tsx';

const WORDS = inputsText.hooks;

interface Props {
  readonly hook: HookView;
  readonly onChanged: () => void;
}

export function HookCard({ hook, onChanged }: Props) {
  const titleId = useId();
  const address = addressOf(hook);
  const isWhole = address !== hook.path;
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
            {WORDS.takes(hook.workflowName, hook.topic)}
          </span>
        </div>
        <div className="flex flex-wrap gap-2">
          <RotateHook hook={hook} onDone={onChanged} />
          <RemoveHook hook={hook} onDone={onChanged} />
        </div>
      </header>
      <HookFacts hook={hook} />
      <CodeLine
        label={WORDS.address}
        {...(isWhole ? {} : { hint: WORDS.addressElsewhere })}
        code={address}
      />
      <Disclosure label={WORDS.tryIt} of={hook.name}>
        <CodeLine
          label={WORDS.command}
          hint={WORDS.tryHintSecret}
          code={curlLine(hook, addressToTry(hook))}
        />
      </Disclosure>
    </article>
  );
}

function HookFacts({ hook }: { readonly hook: HookView }) {
  return (
    <Facts columns="always">
      <Fact name={WORDS.proof}>{HOOK_AUTH_WORDS[hook.auth.kind]}</Fact>
      <Fact name={WORDS.oneInput}>{dedupSentence(hook.dedup)}</Fact>
      <Fact name={inputsText.name}>
        {hook.accepted === 0 ? (
          <span className="text-muted">{WORDS.never}</span>
        ) : (
          <Link
            to={href.inputs({ source: hook.name })}
            className="rounded-sm text-accent hover:underline"
          >
            {WORDS.accepted(hook.accepted)}
          </Link>
        )}
      </Fact>
      {hook.lastAcceptedAt === null ? null : (
        <Fact name={WORDS.last}>
          <RelativeTime at={hook.lastAcceptedAt} />
        </Fact>
      )}
      {hook.redactPaths.length === 0 ? null : (
        <Fact name={WORDS.redacts}>{hook.redactPaths.join(', ')}</Fact>
      )}
      {hook.rotatedAt === null ? null : (
        <Fact name={WORDS.rotated}>
          <RelativeTime at={hook.rotatedAt} />
        </Fact>
      )}
      {hook.previousUntil === null ? null : (
        <Fact name={WORDS.oldUntil}>
          <ExactTime at={hook.previousUntil} />
        </Fact>
      )}
    </Facts>
  );
}
