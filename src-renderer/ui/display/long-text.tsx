// A scrollable text. The content is untrusted and rendered as text. Long ones are cut off; in full, they
// render in chunks that the browser draws only when visible.
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { bytes } from '#renderer/text/numbers.ts';
import { text } from '#renderer/text/text.ts';

/** About five screens. */
const MAX_SHORT_LENGTH = 12_000;
const PIECE_LENGTH = 8_000;

interface Props {
  readonly label: string;
  readonly whole: string;
  /** Buttons over the text. */
  readonly children?: React.ReactNode;
}

export function LongText({ label, whole, children }: Props) {
  const [isExpanded, setExpanded] = useState(false);
  const isLong = whole.length > MAX_SHORT_LENGTH;
  const shown = isExpanded || !isLong ? whole : whole.slice(0, MAX_SHORT_LENGTH);
  return (
    <div className="group/json relative grid gap-1">
      <pre
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable by keyboard.
        tabIndex={0}
        role="group"
        aria-label={label}
        className="max-h-72 overflow-auto rounded-md bg-sunken px-3 py-2.5 font-mono text-xs leading-5 wrap-anywhere whitespace-pre-wrap"
      >
        {shown.length > PIECE_LENGTH ? splitIntoPieces(shown) : shown}
        {isLong && !isExpanded ? '…' : ''}
      </pre>
      {children}
      {isLong ? (
        <Button
          onPress={() => setExpanded(!isExpanded)}
          className="justify-self-start rounded-sm text-[0.8125rem] text-accent data-hovered:underline"
        >
          {isExpanded ? text.json.less : text.json.all(bytes(whole.length))}
        </Button>
      ) : null}
    </div>
  );
}

function splitIntoPieces(shown: string) {
  const pieces = [];
  for (let from = 0; from < shown.length; from += PIECE_LENGTH) {
    pieces.push(
      <span
        key={from}
        className="block [contain-intrinsic-size:auto_2000px] [content-visibility:auto]"
      >
        {shown.slice(from, from + PIECE_LENGTH)}
      </span>,
    );
  }
  return pieces;
}
