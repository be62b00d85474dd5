// The command palette. cmdk handles matching and arrow keys; our own dialog restores the focus.
import { Command } from 'cmdk';
import { CornerDownLeft, Search } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Dialog, Modal, ModalOverlay } from 'react-aria-components';
import { useStore } from 'zustand';
import { useApp } from '#renderer/app-context.tsx';
import { href } from '#renderer/router.ts';
import { useActionRegistry, type Action } from '#renderer/shell/actions.ts';
import { rank } from '#renderer/shell/palette-match.ts';
import { pageButtons } from '#renderer/shell/page-buttons.ts';
import { useWorkflowCommands } from '#renderer/shell/workflow-commands.ts';
import { ACTION_GROUP_WORDS, frame } from '#renderer/text/frame-text.ts';
import { Keys } from '#renderer/ui/keys.tsx';

interface Props {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function Palette({ isOpen, onClose }: Props) {
  return (
    <ModalOverlay
      isOpen={isOpen}
      onOpenChange={(open) => !open && onClose()}
      isDismissable
      className="fixed inset-0 z-30 grid items-start justify-items-center bg-backdrop px-4 pt-[12dvh]"
    >
      <Modal className="w-full max-w-xl overflow-hidden rounded-xl bg-surface shadow-overlay">
        <Dialog aria-label={frame.palette.title} className="outline-none">
          <Commands onClose={onClose} />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function Commands({ onClose }: { readonly onClose: () => void }) {
  const { router } = useApp();
  const registry = useActionRegistry();
  const actions = useStore(registry.actions);
  const [typed, setTyped] = useState('');
  const chosen = useRef<Action | null>(null);
  // Runs after the dialog closed and restored the focus, because the action may move it.
  useEffect(() => () => runSoon(chosen.current), []);
  const choose = (action: Action): void => {
    chosen.current = action;
    onClose();
  };
  const words = typed.trim();
  const workflows = useWorkflowCommands();
  // Read once on open, because the page behind keeps changing.
  const [buttons] = useState(() => pageButtons(document.querySelector('#main') ?? document));
  const names = new Set(actions.map(({ name }) => name));
  const all = [...actions, ...buttons.filter(({ name }) => !names.has(name)), ...workflows];
  const offered = all.filter((one) => !one.keysOnly && (words !== '' || !one.onlyFound));

  return (
    <Command label={frame.palette.title} loop shouldFilter={false}>
      <div className="flex items-center gap-2.5 border-b border-line px-4">
        <Search aria-hidden className="size-4 shrink-0 text-muted" />
        <Command.Input
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- opened in order to type.
          autoFocus
          value={typed}
          onValueChange={setTyped}
          placeholder={frame.palette.placeholder}
          className="h-12 w-full bg-transparent text-[0.9375rem] outline-none placeholder:text-muted"
        />
      </div>
      <Command.List className="max-h-[min(24rem,60dvh)] scroll-py-2 overflow-y-auto p-2">
        <Command.Empty className="px-2 py-6 text-center text-muted">
          {frame.palette.none}
        </Command.Empty>
        {rank(offered, words).map(({ group, actions: fitting }) => (
          <Group
            key={group}
            heading={ACTION_GROUP_WORDS[group]}
            actions={fitting}
            onChoose={choose}
          />
        ))}
        {words === '' ? null : (
          <Item
            value="palette.search"
            icon={<Search aria-hidden className="size-4 text-muted" />}
            name={frame.palette.searchRuns(words)}
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
      </Command.List>
      <p className="flex items-center gap-1.5 border-t border-line px-4 py-2 text-xs text-muted">
        <CornerDownLeft aria-hidden className="size-3.5" />
        {frame.palette.keys}
      </p>
    </Command>
  );
}

interface GroupProps {
  readonly heading: string;
  readonly actions: readonly Action[];
  readonly onChoose: (action: Action) => void;
}

function Group({ heading, actions, onChoose }: GroupProps) {
  return (
    <Command.Group
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
    </Command.Group>
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
    <Command.Item
      value={value}
      onSelect={onChoose}
      className="flex h-9 cursor-default items-center gap-2.5 rounded-md px-2 data-[selected=true]:bg-hover"
    >
      <span className="grid size-4 shrink-0 place-items-center">{icon}</span>
      <span className="min-w-0 truncate">{name}</span>
      {keys === undefined ? null : <Keys keys={keys} className="ml-auto" />}
    </Command.Item>
  );
}

function runSoon(action: Action | null): void {
  if (action) requestAnimationFrame(() => action.run());
}
