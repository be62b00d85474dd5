// The keys of an action, as on the keyboard.
import { shellText } from '#renderer/text/shell-text.ts';

const isMac = /mac|iphone|ipad/i.test(navigator.platform);

const KEY_NAMES: Readonly<Record<string, string>> = {
  mod: isMac ? '⌘' : 'Ctrl',
  Escape: 'Esc',
  ArrowUp: '↑',
  ArrowDown: '↓',
  Enter: 'Enter',
};

export function ShortcutKeys({
  keys,
  className = '',
}: {
  readonly keys: string;
  className?: string;
}) {
  const presses = keys.split(' ');
  return (
    <span className={`inline-flex shrink-0 items-center gap-1 text-xs text-muted ${className}`}>
      {presses.map((press, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- the order never changes.
        <span key={index} className="inline-flex items-center gap-1">
          {index === 0 ? null : <span>{shellText.shortcuts.andThen}</span>}
          {press.split('+').map((key) => (
            <kbd
              key={key}
              className="grid h-5 min-w-5 place-items-center rounded bg-sunken px-1 font-sans text-[0.6875rem] font-medium text-muted ring-1 ring-line"
            >
              {KEY_NAMES[key] ?? (key.length === 1 ? key.toUpperCase() : key)}
            </kbd>
          ))}
        </span>
      ))}
    </span>
  );
}
