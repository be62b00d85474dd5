// A hook's secret, shown once, with a command to test it.
import type { ReactNode } from 'react';
import type { HookView } from '#shared/api/inputs.ts';
import { CopyButton } from '#renderer/ui/buttons/copy-button.tsx';
import { curlCommand } from '#renderer/inputs/webhooks/webhook-curl.ts';
import { inputsText } from '#renderer/text/inputs-text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { Notice } from '#renderer/ui/feedback/notice.tsx';

const TEXT = inputsText.webhooks;

/** In a browser the page's origin is the host. The desktop window has another origin. */
export function webhookAddress({ path }: HookView): string {
  const { protocol, origin } = window.location;
  return protocol.startsWith('http') ? `${origin}${path}` : path;
}

/** With a placeholder if only the host knows its port. */
export function exampleAddress(hook: HookView): string {
  const address = webhookAddress(hook);
  return address === hook.path ? `http://127.0.0.1:PORT${address}` : address;
}

interface Props {
  readonly hook: HookView;
  readonly secret: string;
  readonly onDone: () => void;
}

export function WebhookSecret({ hook, secret, onDone }: Props) {
  const address = webhookAddress(hook);
  return (
    <div className="grid gap-4 px-5 pt-3 pb-5">
      <Notice tone="wait">
        <p className="font-medium">{TEXT.secretOnce}</p>
      </Notice>
      <CodeField label={TEXT.secretLabel} code={secret} />
      <CodeField label={TEXT.address} code={address} />
      <CodeField
        label={TEXT.command}
        hint={TEXT.tryHint}
        code={curlCommand(hook, exampleAddress(hook), secret)}
      />
      <Button variant="primary" onPress={onDone} className="justify-self-end">
        {TEXT.done}
      </Button>
    </div>
  );
}

interface CodeFieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly code: string;
}

export function CodeField({ label, hint, code }: CodeFieldProps) {
  return (
    <div className="grid gap-1">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <span className="font-medium">{label}</span>
        <CopyButton
          size="small"
          label={TEXT.copyOf(label)}
          content={code}
          copiedLabel={TEXT.copied}
        />
      </div>
      {hint === undefined ? null : <p className="text-[0.8125rem] text-muted">{hint}</p>}
      <pre
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable by keyboard.
        tabIndex={0}
        role="group"
        aria-label={label}
        className="max-h-40 overflow-auto rounded-md bg-sunken px-3 py-2 font-mono text-xs leading-5 wrap-anywhere whitespace-pre-wrap select-all"
      >
        {code}
      </pre>
    </div>
  );
}
