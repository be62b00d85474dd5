// Actions available on every page, and the palette and shortcut dialogs.
import {
  Command as CommandIcon,
  Compass,
  Keyboard,
  Monitor,
  Moon,
  Sun,
  type LucideIcon,
} from 'lucide-react';
import { useState } from 'react';
import { useApp } from '#renderer/shell/app-context.tsx';
import { useCommands, type Command } from '#renderer/commands/command-registry.ts';
import { CommandPalette } from '#renderer/commands/command-palette.tsx';
import { SECONDARY_PAGES, NAV_ITEMS } from '#renderer/navigation/nav-items.ts';
import { updatePreferences, THEMES, type Theme } from '#renderer/shell/preferences.ts';
import { ShortcutsDialog } from '#renderer/commands/shortcuts-dialog.tsx';
import { useStartTour } from '#renderer/onboarding/use-start-tour.ts';
import { useKeyboardShortcuts } from '#renderer/commands/use-keyboard-shortcuts.ts';
import { shellText, THEME_LABELS } from '#renderer/text/shell-text.ts';

export const THEME_ICONS: Readonly<Record<Theme, LucideIcon>> = {
  system: Monitor,
  light: Sun,
  dark: Moon,
};

type Open = 'palette' | 'shortcuts' | null;

export function GlobalCommands() {
  const { router } = useApp();
  const [open, setOpen] = useState<Open>(null);
  const close = (): void => setOpen(null);
  const { perform: startTour } = useStartTour();
  useKeyboardShortcuts();
  useCommands(
    () => [
      ...NAV_ITEMS.map(({ name, to, icon, letter }): Command => ({
        id: `go.${to}`,
        name: shellText.goTo(name),
        group: 'go',
        icon,
        keys: `g ${letter}`,
        run: () => router.navigate(to),
      })),
      ...SECONDARY_PAGES.map(({ name, to, icon }): Command => ({
        id: `go.${to}`,
        name: shellText.goTo(name),
        group: 'go',
        icon,
        isSearchOnly: true,
        run: () => router.navigate(to),
      })),
      {
        id: 'app.palette',
        name: shellText.palette.title,
        group: 'app',
        icon: CommandIcon,
        keys: 'mod+k',
        isShortcutOnly: true,
        run: () => setOpen((now) => (now === 'palette' ? null : 'palette')),
      },
      {
        id: 'app.shortcuts',
        name: shellText.shortcuts.open,
        group: 'app',
        icon: Keyboard,
        keys: '?',
        isHarmless: true,
        run: () => setOpen('shortcuts'),
      },
      ...THEMES.map((theme): Command => ({
        id: `app.theme.${theme}`,
        name: shellText.theme.choose(THEME_LABELS[theme]),
        group: 'app',
        icon: THEME_ICONS[theme],
        keywords: 'colour color appearance mode',
        isHarmless: true,
        run: () => updatePreferences({ theme }),
      })),
      {
        id: 'app.tour',
        name: shellText.welcome.action,
        group: 'app',
        icon: Compass,
        keywords: 'practise practice learn help',
        run: startTour,
      },
    ],
    // `startTour` is a new function on every render but does the same.
    [router],
  );
  return (
    <>
      <CommandPalette isOpen={open === 'palette'} onClose={close} />
      <ShortcutsDialog isOpen={open === 'shortcuts'} onClose={close} />
    </>
  );
}
