// Copies a value to the clipboard as JSON.
import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from 'react-aria-components';
import type { Json } from '#shared/json.ts';
import { shellText } from '#renderer/text/shell-text.ts';

const COPIED_MESSAGE_MS = 2_000;

interface Props {
  /** Names the value for screen readers. */
  readonly subject: string;
  /** Called on press. */
  readonly value: () => Json;
  readonly className?: string;
}

export function CopyJsonButton({ subject, value, className = '' }: Props) {
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setIsCopied(false), COPIED_MESSAGE_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = (): void =>
    void navigator.clipboard.writeText(JSON.stringify(value(), null, 2)).then(
      () => setIsCopied(true),
      () => undefined,
    );
  const Icon = isCopied ? Check : Copy;
  return (
    <Button
      onPress={copy}
      className={`inline-flex h-6 cursor-default items-center gap-1 rounded-md px-1.5 text-xs text-muted data-hovered:bg-hover data-hovered:text-ink ${className}`}
    >
      <Icon aria-hidden className="size-3.5" />
      <span aria-live="polite">{isCopied ? shellText.copy.copied : shellText.copy.json}</span>
      <span className="sr-only">: {subject}</span>
    </Button>
  );
}
