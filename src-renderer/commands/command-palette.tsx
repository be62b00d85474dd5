// The command palette: every page and every action, found by typing. cmdk matches and moves; the
// dialog is the same as everywhere, so that focus goes back to where it was.
import { Command as Cmdk } from 'cmdk';
import { CornerDownLeft, Search } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Dialog, Modal, ModalOverlay } from 'react-aria-components';
import { useStore } from 'zustand';
import { useApp } from '#renderer/shell/app-context.tsx';
import { href } from '#renderer/navigation/router.ts';
import { useCommandRegistry, type Command } from '#renderer/commands/command-registry.ts';
import { rankCommands } from '#renderer/commands/rank-commands.ts';
import { pageButtonCommands } from '#renderer/commands/page-button-commands.ts';
import { useWorkflowCommands } from '#renderer/commands/use-workflow-commands.ts';
import { COMMAND_GROUP_LABELS, shellText } from '#renderer/text/shell-text.ts';
import { ShortcutKeys } from '#renderer/ui/display/shortcut-keys.tsx';

interface Props {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function CommandPalette({ isOpen, onClose }: Props) {
  return (
    <ModalOverlay
      isOpen={isOpen}
      onOpenChange={(open) => !open && onClose()}
      isDismissable
      className="fixed inset-0 z-30 grid items-start justify-items-center bg-backdrop px-4 pt-[12dvh]"
    >
      <Modal className="w-full max-w-xl overflow-hidden rounded-xl bg-surface shadow-overlay">
        <Dialog aria-label={shellText.palette.title} className="outline-none">
          <Commands onClose={onClose} />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function Commands({ onClose }: { readonly onClose: () => void }) {
  const { router } = useApp();
  const registry = useCommandRegistry();
  const actions = useStore(registry.commands);
  const [typed, setTyped] = useState('');
  const chosen = useRef<Command | null>(null);
  // After the dialog has gone and given the focus back: what is done may take it.
  useEffect(() => () => runSoon(chosen.current), []);
  const choose = (action: Command): void => {
    chosen.current = action;
    onClose();
  };
  const words = typed.trim();
  const workflows = useWorkflowCommands();
  // Once, as it was when this was opened: behind it the page goes on.
  const [buttons] = useState(() => pageButtonCommands(document.querySelector('#main') ?? document));
  const names = new Set(actions.map(({ name }) => name));
  const all = [...actions, ...buttons.filter(({ name }) => !names.has(name)), ...workflows];
  const offered = all.filter((one) => !one.isShortcutOnly && (words !== '' || !one.isSearchOnly));

  return (
    <Cmdk label={shellText.palette.title} loop shouldFilter={false}>
      <div className="flex items-center gap-2.5 border-b border-line px-4">
        <Search aria-hidden className="size-4 shrink-0 text-muted" />
        <Cmdk.Input
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- it was opened to type into it.
          autoFocus
          value={typed}
          onValueChange={setTyped}
          placeholder={shellText.palette.placeholder}
          className="h-12 w-full bg-transparent text-[0.9375rem] outline-none placeholder:text-muted"
        />
      </div>
      <Cmdk.List className="max-h-[min(24rem,60dvh)] scroll-py-2 overflow-y-auto p-2">
        <Cmdk.Empty className="px-2 py-6 text-center text-muted">
          {shellText.palette.none}
        </Cmdk.Empty>
        {rankCommands(offered, words).map(({ group, commands: fitting }) => (
          <Group
            key={group}
            heading={COMMAND_GROUP_LABELS[group]}
            actions={fitting}
            onChoose={choose}
          />
        ))}
        {words === '' ? null : (
          <Item
            value="palette.search"
            icon={<Search aria-hidden className="size-4 text-muted" />}
            name={shellText.palette.searchRuns(words)}
            onChoose={() =>
              choose({
                id: 'palette.search',
                name: words,
                group: 'go',
                run: () => router.navigate(href.runs({ text: words })),
              })
            }
          />
        )}
      </Cmdk.List>
      <p className="flex items-center gap-1.5 border-t border-line px-4 py-2 text-xs text-muted">
        <CornerDownLeft aria-hidden className="size-3.5" />
        {shellText.palette.keys}
      </p>
    </Cmdk>
  );
}

interface GroupProps {
  readonly heading: string;
  readonly actions: readonly Command[];
  readonly onChoose: (action: Command) => void;
}

function Group({ heading, actions, onChoose }: GroupProps) {
  return (
    <Cmdk.Group
      heading={heading}
      className="[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-muted"
    >
      {actions.map((action) => (
        <Item
          key={action.id}
          value={action.id}
          icon={action.icon ? <action.icon aria-hidden className="size-4 text-muted" /> : null}
          name={action.name}
          keys={action.keys}
          onChoose={() => onChoose(action)}
        />
      ))}
    </Cmdk.Group>
  );
}

interface ItemProps {
  readonly value: string;
  readonly icon: React.ReactNode;
  readonly name: string;
  readonly keys?: string | undefined;
  readonly onChoose: () => void;
}

function Item({ value, icon, name, keys, onChoose }: ItemProps) {
  return (
    <Cmdk.Item
      value={value}
      onSelect={onChoose}
      className="flex h-9 cursor-default items-center gap-2.5 rounded-md px-2 data-[selected=true]:bg-hover"
    >
      <span className="grid size-4 shrink-0 place-items-center">{icon}</span>
      <span className="min-w-0 truncate">{name}</span>
      {keys === undefined ? null : <ShortcutKeys keys={keys} className="ml-auto" />}
    </Cmdk.Item>
  );
}

function runSoon(action: Command | null): void {
  if (action) requestAnimationFrame(() => action.run());
}
