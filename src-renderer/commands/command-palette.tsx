// The command palette: every page and every command, found by typing. The dialog is React Aria's, as
// everywhere, so focus returns to where it was. The list is an ARIA combobox with a listbox.
import { CornerDownLeft, Search } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { Dialog, Modal, ModalOverlay } from 'react-aria-components';
import { useStore } from 'zustand';
import { useApp } from '#renderer/shell/app-context.tsx';
import { href } from '#renderer/navigation/router.ts';
import { useCommandRegistry, type Command } from '#renderer/commands/command-registry.ts';
import { rankCommands } from '#renderer/commands/rank-commands.ts';
import { pageButtonCommands } from '#renderer/commands/page-button-commands.ts';
import { useActiveOption } from '#renderer/commands/use-active-option.ts';
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
          <CommandSearch onClose={onClose} />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function CommandSearch({ onClose }: { readonly onClose: () => void }) {
  const [typed, setTyped] = useState('');
  const groups = useCommandGroups(typed.trim());
  const commands = groups.flatMap((group) => group.commands);
  const listId = useId();
  const optionId = (index: number): string => `${listId}-${index}`;
  const chosen = useRef<Command | null>(null);
  // After the dialog has gone and given the focus back: what is done may take it.
  useEffect(() => () => runSoon(chosen.current), []);
  const choose = (command: Command): void => {
    chosen.current = command;
    onClose();
  };
  const active = useActiveOption(typed, commands, choose);
  const activeId = active.index === -1 ? undefined : optionId(active.index);
  useEffect(() => {
    if (activeId === undefined) return;
    document.querySelector(`#${CSS.escape(activeId)}`)?.scrollIntoView({ block: 'nearest' });
  }, [activeId]);

  return (
    <>
      <div className="flex items-center gap-2.5 border-b border-line px-4">
        <Search aria-hidden className="size-4 shrink-0 text-muted" />
        <input
          role="combobox"
          aria-label={shellText.palette.title}
          aria-expanded
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={activeId}
          autoComplete="off"
          autoCorrect="off"
          spellCheck={false}
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- it was opened to type into it.
          autoFocus
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={active.onKeyDown}
          placeholder={shellText.palette.placeholder}
          className="h-12 w-full bg-transparent text-[0.9375rem] outline-none placeholder:text-muted"
        />
      </div>
      <div
        id={listId}
        role="listbox"
        aria-label={shellText.palette.title}
        className="max-h-[min(24rem,60dvh)] scroll-py-2 overflow-y-auto p-2"
      >
        {groups.map(({ id, heading, commands: grouped }) => (
          <Group key={id} heading={heading}>
            {grouped.map((command) => {
              const index = commands.indexOf(command);
              return (
                <Option
                  key={command.id}
                  id={optionId(index)}
                  command={command}
                  isActive={index === active.index}
                  onPoint={() => active.moveTo(index)}
                  onChoose={() => choose(command)}
                />
              );
            })}
          </Group>
        ))}
      </div>
      {commands.length > 0 ? null : (
        <p role="status" className="px-2 py-6 text-center text-muted">
          {shellText.palette.none}
        </p>
      )}
      <p className="flex items-center gap-1.5 border-t border-line px-4 py-2 text-xs text-muted">
        <CornerDownLeft aria-hidden className="size-3.5" />
        {shellText.palette.keys}
      </p>
    </>
  );
}

interface CommandGroupView {
  readonly id: string;
  /** Null for the search of runs, which is last and has no group. */
  readonly heading: string | null;
  readonly commands: readonly Command[];
}

function useCommandGroups(searchText: string): readonly CommandGroupView[] {
  const { router } = useApp();
  const registered = useStore(useCommandRegistry().commands);
  const workflows = useWorkflowCommands();
  // Read once on opening: the page behind the palette keeps changing.
  const [buttons] = useState(() => pageButtonCommands(document.querySelector('#main') ?? document));
  const names = new Set(registered.map(({ name }) => name));
  const all = [...registered, ...buttons.filter(({ name }) => !names.has(name)), ...workflows];
  const offered = all.filter(
    (one) => !one.isShortcutOnly && (searchText !== '' || !one.isSearchOnly),
  );
  const groups: CommandGroupView[] = rankCommands(offered, searchText).map(
    ({ group, commands }) => ({ id: group, heading: COMMAND_GROUP_LABELS[group], commands }),
  );
  if (searchText === '') return groups;
  const searchRuns: Command = {
    id: 'palette.search',
    name: shellText.palette.searchRuns(searchText),
    group: 'go',
    icon: Search,
    run: () => router.navigate(href.runs({ text: searchText })),
  };
  return [...groups, { id: searchRuns.id, heading: null, commands: [searchRuns] }];
}

interface GroupProps {
  readonly heading: string | null;
  readonly children: React.ReactNode;
}

function Group({ heading, children }: GroupProps) {
  const headingId = useId();
  if (heading === null) return children;
  return (
    <div role="group" aria-labelledby={headingId}>
      <div id={headingId} role="presentation" className="px-2 pt-2 pb-1 text-xs text-muted">
        {heading}
      </div>
      {children}
    </div>
  );
}

interface OptionProps {
  readonly id: string;
  readonly command: Command;
  readonly isActive: boolean;
  readonly onPoint: () => void;
  readonly onChoose: () => void;
}

function Option({ id, command, isActive, onPoint, onChoose }: OptionProps) {
  const { icon: Icon, name, keys } = command;
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the combobox handles keys.
    <div
      id={id}
      role="option"
      aria-selected={isActive}
      tabIndex={-1}
      onPointerMove={onPoint}
      // Focus stays in the text field, which says what is active.
      onPointerDown={(event) => event.preventDefault()}
      onClick={onChoose}
      // Room above for the heading of its group, when it is scrolled to.
      className="flex h-9 scroll-mt-9 cursor-default items-center gap-2.5 rounded-md px-2 aria-selected:bg-hover"
    >
      <span className="grid size-4 shrink-0 place-items-center">
        {Icon ? <Icon aria-hidden className="size-4 text-muted" /> : null}
      </span>
      <span className="min-w-0 truncate">{name}</span>
      {keys === undefined ? null : <ShortcutKeys keys={keys} className="ml-auto" />}
    </div>
  );
}

function runSoon(command: Command | null): void {
  if (command) requestAnimationFrame(() => command.run());
}
