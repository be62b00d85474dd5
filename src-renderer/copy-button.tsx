import { useState } from 'react';
import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/button.tsx';

interface Props {
  readonly content: string;
  readonly label: string;
  readonly done: string;
  readonly size?: 'small' | 'usual';
}

/** Announces success, or that copying isn't allowed. */
export function CopyButton({ content, label, done, size = 'usual' }: Props) {
  const [said, setSaid] = useState('');
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(content);
      setSaid(done);
    } catch {
      setSaid(text.pairing.copyFailed);
    }
  };
  return (
    <span className="inline-flex flex-wrap items-center gap-2">
      <Button size={size} onPress={() => void copy()}>
        {label}
      </Button>
      <span role="status" className="text-[0.8125rem] text-muted empty:hidden">
        {said}
      </span>
    </span>
  );
}
