// Copies a value to the clipboard as JSON.
import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from 'react-aria-components';
import type { Json } from '#shared/json.ts';
import { frame } from '#renderer/text/frame-text.ts';

const SAID_MS = 2_000;

interface Props {
  /** Names the value for screen readers. */
  readonly what: string;
  /** Called on press. */
  readonly value: () => Json;
  readonly className?: string;
}

export function CopyJson({ what, value, className = '' }: Props) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), SAID_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = (): void =>
    void navigator.clipboard.writeText(JSON.stringify(value(), null, 2)).then(
      () => setCopied(true),
      () => undefined,
    );
  const Icon = copied ? Check : Copy;
  return (
    <Button
      onPress={copy}
      className={`inline-flex h-6 cursor-default items-center gap-1 rounded-md px-1.5 text-xs text-muted data-hovered:bg-hover data-hovered:text-ink ${className}`}
    >
      <Icon aria-hidden className="size-3.5" />
      <span aria-live="polite">{copied ? frame.copy.copied : frame.copy.json}</span>
      <span className="sr-only">: {what}</span>
    </Button>
  );
}
