// A handler's state before and after the run, as a diff with the full states behind it.
import { Minus, PenLine, Plus, type LucideIcon } from 'lucide-react';
import { useMemo } from 'react';
import type { HandlerRunDetail } from '#shared/api/handler-runs.ts';
import { jsonDiff, pathText, type JsonChange } from '#shared/json-diff.ts';
import type { Json } from '#shared/json.ts';
import { text } from '#renderer/text/text.ts';
import { Disclosure } from '#renderer/ui/layout/disclosure.tsx';
import { Labelled } from '#renderer/ui/layout/labelled.tsx';
import { Panel } from '#renderer/ui/layout/panel.tsx';
import { JsonText } from '#renderer/ui/display/json-text.tsx';

/** Longer diffs are cut off. The full states are below. */
const MAX_SHOWN = 50;
const MAX_VALUE_LENGTH = 300;

export function HandlerState({ run }: { readonly run: HandlerRunDetail }) {
  const { inputState: before, outputState: after } = run;
  const isKnown = run.phase === 'committed';
  const changes = useMemo(() => (isKnown ? jsonDiff(before, after) : []), [isKnown, before, after]);
  if (before === null && after === null) {
    return (
      <Panel title={text.run.state}>
        <p className="text-[0.8125rem] text-muted">{text.run.noState}</p>
      </Panel>
    );
  }
  return (
    <Panel title={text.run.state}>
      <div className="grid gap-3 text-[0.8125rem]">
        {!isKnown ? (
          <p className="text-muted">
            {run.phase === 'failed' ? text.run.stateKept : text.run.stateLater}
          </p>
        ) : changes.length === 0 ? (
          <p className="text-muted">{text.run.unchanged}</p>
        ) : (
          <Changes changes={changes} />
        )}
        <Disclosure label={text.run.wholeState}>
          <div className="grid gap-3 sm:grid-cols-2">
            <StateSide name={text.run.before} value={before} />
            {isKnown ? <StateSide name={text.run.after} value={after} /> : null}
          </div>
        </Disclosure>
      </div>
    </Panel>
  );
}

const CHANGE_STYLES: Readonly<Record<JsonChange['type'], { icon: LucideIcon; colour: string }>> = {
  added: { icon: Plus, colour: 'text-good' },
  removed: { icon: Minus, colour: 'text-bad' },
  replaced: { icon: PenLine, colour: 'text-active' },
};

function Changes({ changes }: { readonly changes: readonly JsonChange[] }) {
  const shown = changes.slice(0, MAX_SHOWN);
  return (
    <>
      <ul className="grid gap-1.5 font-mono text-xs">
        {shown.map((change) => (
          <Change key={pathText(change.path)} change={change} />
        ))}
      </ul>
      {changes.length > shown.length ? (
        <p className="text-muted">{text.run.moreChanges(changes.length - shown.length)}</p>
      ) : null}
    </>
  );
}

function Change({ change }: { readonly change: JsonChange }) {
  const { icon: Icon, colour } = CHANGE_STYLES[change.type];
  return (
    <li className="grid grid-cols-[1rem_minmax(0,1fr)] gap-x-2 leading-5">
      <Icon aria-hidden className={`mt-0.75 size-3.5 ${colour}`} />
      <span className="wrap-anywhere">
        <span className="sr-only">{text.run.changeWords[change.type]} </span>
        <span className="font-semibold">{pathText(change.path) || text.run.wholeValue}</span>{' '}
        {'before' in change ? (
          <del className="rounded bg-bad-tint px-1 text-bad">{truncatedJson(change.before)}</del>
        ) : null}
        {change.type === 'replaced' ? <span aria-hidden> → </span> : null}
        {'after' in change ? (
          <ins className="rounded bg-good-tint px-1 text-good no-underline">
            {truncatedJson(change.after)}
          </ins>
        ) : null}
      </span>
    </li>
  );
}

function truncatedJson(value: Json): string {
  const whole = JSON.stringify(value);
  return whole.length > MAX_VALUE_LENGTH ? `${whole.slice(0, MAX_VALUE_LENGTH)}…` : whole;
}

function StateSide({ name, value }: { readonly name: string; readonly value: Json }) {
  return (
    <Labelled name={name} className="content-start">
      <JsonText label={`${text.run.state}: ${name}`} value={value} />
    </Labelled>
  );
}
