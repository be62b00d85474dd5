// Actions available on every page, and the palette and shortcut dialogs.
import { Command, Compass, Keyboard, Monitor, Moon, Sun, type LucideIcon } from 'lucide-react';
import { useState } from 'react';
import { useApp } from '#renderer/app-context.tsx';
import { useActions, type Action } from '#renderer/shell/actions.ts';
import { Palette } from '#renderer/shell/palette.tsx';
import { MORE_PLACES, PLACES } from '#renderer/shell/places.ts';
import { choose, THEMES, type Theme } from '#renderer/shell/settings.ts';
import { Shortcuts } from '#renderer/shell/shortcuts.tsx';
import { useBeginTour } from '#renderer/shell/use-begin-tour.ts';
import { useKeys } from '#renderer/shell/use-keys.ts';
import { frame, THEME_WORDS } from '#renderer/text/frame-text.ts';

export const THEME_ICONS: Readonly<Record<Theme, LucideIcon>> = {
  system: Monitor,
  light: Sun,
  dark: Moon,
};

type Open = 'palette' | 'shortcuts' | null;

export function FrameActions() {
  const { router } = useApp();
  const [open, setOpen] = useState<Open>(null);
  const close = (): void => setOpen(null);
  const { perform: beginTour } = useBeginTour();
  useKeys();
  useActions(
    () => [
      ...PLACES.map(({ name, to, icon, letter }): Action => ({
        id: `go.${to}`,
        name: frame.goTo(name),
        group: 'go',
        icon,
        keys: `g ${letter}`,
        run: () => router.navigate(to),
      })),
      ...MORE_PLACES.map(({ name, to, icon }): Action => ({
        id: `go.${to}`,
        name: frame.goTo(name),
        group: 'go',
        icon,
        onlyFound: true,
        run: () => router.navigate(to),
      })),
      {
        id: 'app.palette',
        name: frame.palette.title,
        group: 'app',
        icon: Command,
        keys: 'mod+k',
        keysOnly: true,
        run: () => setOpen((now) => (now === 'palette' ? null : 'palette')),
      },
      {
        id: 'app.shortcuts',
        name: frame.shortcuts.open,
        group: 'app',
        icon: Keyboard,
        keys: '?',
        run: () => setOpen('shortcuts'),
      },
      ...THEMES.map((theme): Action => ({
        id: `app.theme.${theme}`,
        name: frame.theme.choose(THEME_WORDS[theme]),
        group: 'app',
        icon: THEME_ICONS[theme],
        words: 'colour color appearance mode',
        run: () => choose({ theme }),
      })),
      {
        id: 'app.tour',
        name: frame.welcome.action,
        group: 'app',
        icon: Compass,
        words: 'practise practice learn help',
        run: beginTour,
      },
    ],
    // `beginTour` is a new function on every render but does the same.
    [router],
  );
  return (
    <>
      <Palette isOpen={open === 'palette'} onClose={close} />
      <Shortcuts isOpen={open === 'shortcuts'} onClose={close} />
    </>
  );
}
