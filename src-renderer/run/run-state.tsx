// What a handler kept from the run before, and what it leaves to the next.
import type { HandlerRunDetail } from '#shared/api/handler-runs.ts';
import { canonicalJson, type Json } from '#shared/json.ts';
import { text } from '#renderer/text.ts';
import { Panel } from '#renderer/ui/facts.tsx';
import { JsonText } from '#renderer/ui/json-text.tsx';

export function RunState({ run }: { readonly run: HandlerRunDetail }) {
  const { inputState: before, outputState: after } = run;
  return (
    <Panel title={text.run.state}>
      {before === null && after === null ? (
        <p className="text-[0.8125rem] text-muted">{text.run.noState}</p>
      ) : (
        <div className="grid gap-3 sm:grid-cols-2">
          <Side name={text.run.before} value={before} />
          {run.phase !== 'committed' ? null : isSame(before, after) ? (
            <div className="grid content-start gap-1">
              <h3 className="text-xs font-medium text-muted">{text.run.after}</h3>
              <p className="text-[0.8125rem] text-muted">{text.run.unchanged}</p>
            </div>
          ) : (
            <Side name={text.run.after} value={after} />
          )}
        </div>
      )}
    </Panel>
  );
}

const isSame = (a: Json, b: Json): boolean => canonicalJson(a) === canonicalJson(b);

function Side({ name, value }: { readonly name: string; readonly value: Json }) {
  return (
    <div className="grid content-start gap-1">
      <h3 className="text-xs font-medium text-muted">{name}</h3>
      <JsonText label={`${text.run.state}: ${name}`} value={value} />
    </div>
  );
}
