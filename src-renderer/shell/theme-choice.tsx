// Theme switch: system, light or dark.
import { Radio, RadioGroup } from 'react-aria-components';
import { useStore } from 'zustand';
import { THEME_ICONS } from '#renderer/shell/frame-actions.tsx';
import { choose, settings, THEMES, type Theme } from '#renderer/shell/settings.ts';
import { frame, THEME_WORDS } from '#renderer/text/frame-text.ts';

export function ThemeChoice() {
  const theme = useStore(settings, (state) => state.theme);
  return (
    <RadioGroup
      aria-label={frame.theme.label}
      orientation="horizontal"
      value={theme}
      onChange={(chosen) => choose({ theme: chosen as Theme })}
      className="flex w-fit rounded-md p-0.5 ring-1 ring-line max-md:hidden"
    >
      {THEMES.map((one) => {
        const Icon = THEME_ICONS[one];
        return (
          <Radio
            key={one}
            value={one}
            aria-label={THEME_WORDS[one]}
            className="grid h-6 w-8 cursor-default place-items-center rounded-sm text-muted data-focus-visible:outline-2 data-focus-visible:outline-accent data-hovered:text-ink data-selected:bg-surface data-selected:text-ink data-selected:shadow-raised"
          >
            <Icon aria-hidden className="size-3.5" />
          </Radio>
        );
      })}
    </RadioGroup>
  );
}
