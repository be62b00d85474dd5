import { useState } from 'react';
import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';

interface Props {
  readonly content: string;
  readonly label: string;
  readonly copiedLabel: string;
  readonly size?: 'small' | 'medium';
}

/** Announces success, or that copying isn't allowed. */
export function CopyButton({ content, label, copiedLabel, size = 'medium' }: Props) {
  const [message, setMessage] = useState('');
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(content);
      setMessage(copiedLabel);
    } catch {
      setMessage(text.pairing.copyFailed);
    }
  };
  return (
    <span className="inline-flex flex-wrap items-center gap-2">
      <Button size={size} onPress={() => void copy()}>
        {label}
      </Button>
      <span role="status" className="text-[0.8125rem] text-muted empty:hidden">
        {message}
      </span>
    </span>
  );
}
