// Dead outbox rows, which wait for a person to retry them.
import type { HostClient } from '#shared/api/client.ts';
import type { OutboxRowView } from '#shared/api/inputs.ts';
import { MAX_PAGE_SIZE } from '#shared/limits.ts';
import { useApp } from '#renderer/app-context.tsx';
import { href } from '#renderer/router.ts';
import { inputsText, OUTBOX_KIND_WORDS } from '#renderer/text/inputs-text.ts';
import { Button } from '#renderer/ui/button.tsx';
import { Panel } from '#renderer/ui/facts.tsx';
import { Failure } from '#renderer/ui/failure.tsx';
import { Link } from '#renderer/ui/link.tsx';
import { Notice } from '#renderer/ui/notice.tsx';
import { say } from '#renderer/ui/toast.ts';
import { useAct } from '#renderer/use-act.ts';
import { useAnswer } from '#renderer/use-answer.ts';

const NAMED = 5;
const WORDS = inputsText.one;

/** Loads all pages: a row that isn't shown would wait forever. */
async function allDead(client: HostClient): Promise<readonly OutboxRowView[]> {
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

const useDead = () => useAnswer(allDead, { outbox: 'any' }, []);

/** Above the list: inputs with dead stages. */
export function DeadNotice() {
  const { answer } = useDead();
  if (answer === null || answer.length === 0) return null;
  return (
    <Notice tone="bad">
      <p>{inputsText.list.dead(answer.length)}</p>
      <ul className="grid gap-0.5">
        {answer.slice(0, NAMED).map((row) => (
          <li key={row.id}>
            <Link to={href.input(row.inputId)} className="rounded-sm font-medium underline">
              <bdi>{row.title}</bdi>
            </Link>
            : {OUTBOX_KIND_WORDS[row.kind]}
          </li>
        ))}
        {answer.length > NAMED ? <li>{inputsText.list.moreDead(answer.length - NAMED)}</li> : null}
      </ul>
    </Notice>
  );
}

/** On an input's page: its own dead stages, each with a retry. */
export function DeadRows({ inputId }: { readonly inputId: string }) {
  const { answer, error, refresh } = useDead();
  const rows = (answer ?? []).filter((row) => row.inputId === inputId);
  if (rows.length === 0) return <Failure error={error} />;
  return (
    <Panel title={WORDS.dead}>
      <p className="mb-2 text-[0.8125rem] text-muted">{WORDS.deadHint}</p>
      <ul className="grid gap-3">
        {rows.map((row) => (
          <DeadRow key={row.id} row={row} onReplayed={refresh} />
        ))}
      </ul>
    </Panel>
  );
}

interface DeadRowProps {
  readonly row: OutboxRowView;
  readonly onReplayed: () => void;
}

function DeadRow({ row, onReplayed }: DeadRowProps) {
  const { client } = useApp();
  const replay = useAct({
    idFor: 'click',
    act: () => client.call('outbox.replay', { rowId: row.id }),
    onDone: () => {
      say({ sentence: WORDS.replayed });
      onReplayed();
    },
  });
  return (
    <li className="grid gap-1.5 text-[0.8125rem]">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <span>
          <span className="font-medium">{OUTBOX_KIND_WORDS[row.kind]}</span>
          <span className="text-muted"> · {WORDS.tries(row.attempts)}</span>
        </span>
        <Button size="small" isPending={replay.pending} onPress={replay.perform}>
          {replay.pending ? WORDS.replaying : WORDS.replay}
        </Button>
      </div>
      {row.lastError === null ? null : (
        <p className="wrap-anywhere whitespace-pre-wrap text-bad">{row.lastError}</p>
      )}
      <Failure error={replay.error} />
    </li>
  );
}
