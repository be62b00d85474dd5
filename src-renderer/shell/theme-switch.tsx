// Theme switch: system, light or dark.
import { Radio, RadioGroup } from 'react-aria-components';
import { useStore } from 'zustand';
import { THEME_ICONS } from '#renderer/commands/global-commands.tsx';
import { updatePreferences, preferences, THEMES, type Theme } from '#renderer/shell/preferences.ts';
import { shellText, THEME_LABELS } from '#renderer/text/shell-text.ts';

export function ThemeSwitch() {
  const theme = useStore(preferences, (state) => state.theme);
  return (
    <RadioGroup
      aria-label={shellText.theme.label}
      orientation="horizontal"
      value={theme}
      onChange={(chosen) => updatePreferences({ theme: chosen as Theme })}
      className="flex w-fit rounded-md p-0.5 ring-1 ring-line max-md:hidden"
    >
      {THEMES.map((one) => {
        const Icon = THEME_ICONS[one];
        return (
          <Radio
            key={one}
            value={one}
            aria-label={THEME_LABELS[one]}
            className="grid h-6 w-8 cursor-default place-items-center rounded-sm text-muted data-focus-visible:outline-2 data-focus-visible:outline-accent data-hovered:text-ink data-selected:bg-surface data-selected:text-ink data-selected:shadow-raised"
          >
            <Icon aria-hidden className="size-3.5" />
          </Radio>
        );
      })}
    </RadioGroup>
  );
}
