// The shortcut sheet, built from the registered actions.
import { Switch } from 'react-aria-components';
import { useStore } from 'zustand';
import { ACTION_GROUPS, useActionRegistry } from '#renderer/shell/actions.ts';
import { choose, settings } from '#renderer/shell/settings.ts';
import { ACTION_GROUP_WORDS, frame } from '#renderer/text/frame-text.ts';
import { Keys } from '#renderer/ui/keys.tsx';
import { Sheet } from '#renderer/ui/sheet.tsx';

interface Props {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function Shortcuts({ isOpen, onClose }: Props) {
  return (
    <Sheet title={frame.shortcuts.title} isOpen={isOpen} onClose={onClose}>
      <ShortcutList />
    </Sheet>
  );
}

function ShortcutList() {
  const registry = useActionRegistry();
  const actions = useStore(registry.actions);
  const singleKeys = useStore(settings, (state) => state.singleKeys);
  return (
    <div className="grid gap-5 px-5 pt-3 pb-5">
      {ACTION_GROUPS.map((group) => {
        const known = actions.filter((one) => one.group === group && one.keys !== undefined);
        return known.length === 0 ? null : (
          <section key={group}>
            <h3 className="mb-1 text-xs font-medium text-muted">{ACTION_GROUP_WORDS[group]}</h3>
            <dl className="grid">
              {known.map(({ id, name, keys }) => (
                <Row key={id} name={name} keys={keys ?? ''} />
              ))}
              {group === 'app' ? (
                <>
                  <Row name={frame.shortcuts.list} keys="ArrowUp+ArrowDown" />
                  <Row name={frame.shortcuts.leave} keys="Escape" />
                </>
              ) : null}
            </dl>
          </section>
        );
      })}
      <Switch
        isSelected={singleKeys}
        onChange={(on) => choose({ singleKeys: on })}
        className="group grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-3 border-t border-line pt-4"
      >
        <span
          aria-hidden
          className="flex h-5 w-9 items-center rounded-full bg-line-strong p-0.5 group-data-focus-visible:outline-2 group-data-focus-visible:outline-offset-2 group-data-focus-visible:outline-accent group-data-selected:justify-end group-data-selected:bg-accent-fill"
        >
          <span className="size-4 rounded-full bg-surface" />
        </span>
        <span className="font-medium">{frame.shortcuts.singleKeys}</span>
        <span className="col-start-2 text-[0.8125rem] text-muted">
          {frame.shortcuts.singleKeysHint}
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
        <Keys keys={keys} />
      </dd>
    </div>
  );
}
