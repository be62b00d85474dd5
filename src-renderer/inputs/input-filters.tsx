// Filters of the input list. All of them are in the URL.
import { X } from 'lucide-react';
import { useRef } from 'react';
import { INPUT_KINDS } from '#shared/inputs/kinds.ts';
import { MAX_NAME_LENGTH } from '#shared/limits.ts';
import { AUTOMATION_RUN_STATUSES } from '#shared/machines/automation-run.ts';
import { useApp } from '#renderer/app-context.tsx';
import type { InputFilter } from '#renderer/inputs/input-route.ts';
import { TimeChoice } from '#renderer/lists/time-choice.tsx';
import { WorkflowChoice } from '#renderer/lists/workflow-choice.tsx';
import { href } from '#renderer/router.ts';
import { useActions } from '#renderer/shell/actions.ts';
import { INPUT_KIND_WORDS, inputsText } from '#renderer/text/inputs-text.ts';
import { AUTOMATION_RUN_WORDS } from '#renderer/text/status-words.ts';
import { Choice } from '#renderer/ui/choice.tsx';
import { Link } from '#renderer/ui/link.tsx';
import { SearchInput } from '#renderer/ui/search-input.tsx';
import { InputStatusIcon } from '#renderer/ui/status-chip.tsx';

const WORDS = inputsText.list;

export function InputFilters({ filter }: { readonly filter: InputFilter }) {
  const { router } = useApp();
  const input = useRef<HTMLInputElement>(null);
  // Typing replaces the history entry, so Back leaves the list.
  const search = (words: string): void =>
    router.navigate(href.inputs({ ...filter, text: words === '' ? undefined : words }), 'replace');
  useActions(
    () => [
      {
        id: 'inputs.find',
        name: WORDS.find,
        group: 'page',
        keys: '/',
        run: () => input.current?.focus(),
      },
    ],
    [],
  );
  const show = (change: Partial<InputFilter>): void =>
    router.navigate(href.inputs({ ...filter, ...change }));
  return (
    <div className="flex flex-wrap items-center gap-2">
      <SearchInput
        ref={input}
        label={WORDS.find}
        clear={WORDS.clearSearch}
        value={filter.text ?? ''}
        maxLength={MAX_NAME_LENGTH}
        keys="/"
        onSearch={search}
        className="min-w-52 flex-1 lg:max-w-72"
      />
      <Choice
        label={WORDS.filterKind}
        all={WORDS.allKinds}
        items={INPUT_KINDS.map((id) => ({ id, name: INPUT_KIND_WORDS[id] }))}
        chosen={filter.kind ?? null}
        onChoose={(id) => show({ kind: INPUT_KINDS.find((one) => one === id) })}
      />
      <Choice
        label={WORDS.filterStatus}
        all={WORDS.allStatuses}
        items={AUTOMATION_RUN_STATUSES.map((id) => ({
          id,
          name: AUTOMATION_RUN_WORDS[id],
          icon: <InputStatusIcon status={id} />,
        }))}
        chosen={filter.status ?? null}
        onChoose={(id) => show({ status: AUTOMATION_RUN_STATUSES.find((one) => one === id) })}
      />
      <WorkflowChoice chosen={filter.workflowId} onChoose={(workflowId) => show({ workflowId })} />
      <TimeChoice span={filter} onChoose={show} />
      {filter.source === undefined ? null : (
        <Link
          to={href.inputs({ ...filter, source: undefined })}
          className="inline-flex h-8 max-w-full min-w-0 items-center gap-1.5 rounded-md bg-surface px-2.5 shadow-raised ring-1 ring-accent ring-inset hover:bg-hover"
        >
          <bdi className="truncate">{WORDS.from(filter.source)}</bdi>
          <X aria-hidden className="size-3.5 shrink-0 text-muted" />
          <span className="sr-only">{WORDS.clearSource}</span>
        </Link>
      )}
    </div>
  );
}
