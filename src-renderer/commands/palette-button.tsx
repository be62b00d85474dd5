// Opens the palette with a click, and shows its shortcut.
import { Search } from 'lucide-react';
import { Button } from 'react-aria-components';
import { useCommandRegistry } from '#renderer/commands/command-registry.ts';
import { shellText } from '#renderer/text/shell-text.ts';
import { ShortcutKeys } from '#renderer/ui/display/shortcut-keys.tsx';

export function PaletteButton() {
  const registry = useCommandRegistry();
  const open = (): void =>
    registry.commands
      .getState()
      .find(({ id }) => id === 'app.palette')
      ?.run();
  return (
    <Button
      onPress={open}
      className="flex h-8 cursor-default items-center gap-2 rounded-md px-2 text-muted md:mb-3 md:bg-surface md:shadow-raised md:ring-1 md:ring-line data-hovered:bg-hover data-hovered:text-ink"
    >
      <Search aria-hidden className="size-4 shrink-0" />
      <span className="whitespace-nowrap max-md:sr-only">{shellText.palette.open}</span>
      <span aria-hidden className="ml-auto max-md:hidden">
        <ShortcutKeys keys="mod+k" />
      </span>
    </Button>
  );
}
