// The shortcut sheet, built from the registered actions.
import { Switch } from 'react-aria-components';
import { useStore } from 'zustand';
import { COMMAND_GROUPS, useCommandRegistry } from '#renderer/commands/command-registry.ts';
import { updatePreferences, preferences } from '#renderer/shell/preferences.ts';
import { COMMAND_GROUP_LABELS, shellText } from '#renderer/text/shell-text.ts';
import { ShortcutKeys } from '#renderer/ui/display/shortcut-keys.tsx';
import { Sheet } from '#renderer/ui/layout/sheet.tsx';

interface Props {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function ShortcutsDialog({ isOpen, onClose }: Props) {
  return (
    <Sheet title={shellText.shortcuts.title} isOpen={isOpen} onClose={onClose}>
      <ShortcutList />
    </Sheet>
  );
}

function ShortcutList() {
  const registry = useCommandRegistry();
  const commands = useStore(registry.commands);
  const singleKeys = useStore(preferences, (state) => state.singleKeys);
  return (
    <div className="grid gap-5 px-5 pt-3 pb-5">
      {COMMAND_GROUPS.map((group) => {
        const known = commands.filter((one) => one.group === group && one.keys !== undefined);
        return known.length === 0 ? null : (
          <section key={group}>
            <h3 className="mb-1 text-xs font-medium text-muted">{COMMAND_GROUP_LABELS[group]}</h3>
            <dl className="grid">
              {known.map(({ id, name, keys }) => (
                <Row key={id} name={name} keys={keys ?? ''} />
              ))}
              {group === 'app' ? (
                <>
                  <Row name={shellText.shortcuts.list} keys="ArrowUp+ArrowDown" />
                  <Row name={shellText.shortcuts.leave} keys="Escape" />
                </>
              ) : null}
            </dl>
          </section>
        );
      })}
      <Switch
        isSelected={singleKeys}
        onChange={(on) => updatePreferences({ singleKeys: on })}
        className="group grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-3 border-t border-line pt-4"
      >
        <span
          aria-hidden
          className="flex h-5 w-9 items-center rounded-full bg-line-strong p-0.5 group-data-focus-visible:outline-2 group-data-focus-visible:outline-offset-2 group-data-focus-visible:outline-accent group-data-selected:justify-end group-data-selected:bg-accent-fill"
        >
          <span className="size-4 rounded-full bg-surface" />
        </span>
        <span className="font-medium">{shellText.shortcuts.singleKeys}</span>
        <span className="col-start-2 text-[0.8125rem] text-muted">
          {shellText.shortcuts.singleKeysHint}
        </span>
      </Switch>
    </div>
  );
}

function Row({ name, keys }: { readonly name: string; readonly keys: string }) {
  return (
    <div className="flex min-h-8 items-center justify-between gap-4">
      <dt>{name}</dt>
      <dd>
        <ShortcutKeys keys={keys} />
      </dd>
    </div>
  );
}
