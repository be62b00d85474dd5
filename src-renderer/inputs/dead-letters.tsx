// Dead outbox rows, which wait for a person to retry them.
import type { HostClient } from '#shared/api/client.ts';
import type { OutboxRowView } from '#shared/api/inputs.ts';
import { MAX_PAGE_SIZE } from '#shared/limits.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { href } from '#renderer/navigation/router.ts';
import { inputsText, OUTBOX_KIND_LABELS } from '#renderer/text/inputs-text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { Panel } from '#renderer/ui/layout/panel.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { Link } from '#renderer/ui/buttons/link.tsx';
import { Notice } from '#renderer/ui/feedback/notice.tsx';
import { showToast } from '#renderer/ui/feedback/toast.ts';
import { useIdempotentAction } from '#renderer/client/use-idempotent-action.ts';
import { useLiveQuery } from '#renderer/stores/use-live-query.ts';

const MAX_LISTED = 5;
const TEXT = inputsText.one;

/** Loads all pages: a row that isn't shown would wait forever. */
async function fetchDeadLetters(client: HostClient): Promise<readonly OutboxRowView[]> {
  const rows: OutboxRowView[] = [];
  let after: string | null = null;
  do {
    const page: { rows: OutboxRowView[]; next: string | null } = await client.call('outbox.list', {
      limit: MAX_PAGE_SIZE,
      ...(after === null ? {} : { after }),
    });
    rows.push(...page.rows);
    after = page.next;
  } while (after !== null);
  return rows;
}

const useDeadLetters = () => useLiveQuery(fetchDeadLetters, { outbox: 'any' }, []);

/** Above the list: inputs with dead stages. */
export function DeadLettersNotice() {
  const { answer } = useDeadLetters();
  if (answer === null || answer.length === 0) return null;
  return (
    <Notice tone="bad">
      <p>{inputsText.list.dead(answer.length)}</p>
      <ul className="grid gap-0.5">
        {answer.slice(0, MAX_LISTED).map((row) => (
          <li key={row.id}>
            <Link to={href.input(row.inputId)} className="rounded-sm font-medium underline">
              <bdi>{row.title}</bdi>
            </Link>
            : {OUTBOX_KIND_LABELS[row.kind]}
          </li>
        ))}
        {answer.length > MAX_LISTED ? (
          <li>{inputsText.list.moreDead(answer.length - MAX_LISTED)}</li>
        ) : null}
      </ul>
    </Notice>
  );
}

/** On an input's page: its own dead stages, each with a retry. */
export function DeadLetters({ inputId }: { readonly inputId: string }) {
  const { answer, error, refresh } = useDeadLetters();
  const rows = (answer ?? []).filter((row) => row.inputId === inputId);
  if (rows.length === 0) return <Failure error={error} />;
  return (
    <Panel title={TEXT.dead}>
      <p className="mb-2 text-[0.8125rem] text-muted">{TEXT.deadHint}</p>
      <ul className="grid gap-3">
        {rows.map((row) => (
          <DeadLetter key={row.id} row={row} onReplayed={refresh} />
        ))}
      </ul>
    </Panel>
  );
}

interface DeadLetterProps {
  readonly row: OutboxRowView;
  readonly onReplayed: () => void;
}

function DeadLetter({ row, onReplayed }: DeadLetterProps) {
  const { client } = useApp();
  const replay = useIdempotentAction({
    idFor: 'click',
    action: () => client.call('outbox.replay', { rowId: row.id }),
    onDone: () => {
      showToast({ text: TEXT.replayed });
      onReplayed();
    },
  });
  return (
    <li className="grid gap-1.5 text-[0.8125rem]">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <span>
          <span className="font-medium">{OUTBOX_KIND_LABELS[row.kind]}</span>
          <span className="text-muted"> · {TEXT.tries(row.attempts)}</span>
        </span>
        <Button size="small" isPending={replay.isPending} onPress={replay.perform}>
          {replay.isPending ? TEXT.replaying : TEXT.replay}
        </Button>
      </div>
      {row.lastError === null ? null : (
        <p className="wrap-anywhere whitespace-pre-wrap text-bad">{row.lastError}</p>
      )}
      <Failure error={replay.error} />
    </li>
  );
}
