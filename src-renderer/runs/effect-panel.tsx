// A run's effect as recorded in the ledger.
import type { HandlerRunDetail, MutationView } from '#shared/api/handler-runs.ts';
import { formatCost } from '#shared/cost.ts';
import { exactTime } from '#renderer/format/format-time.ts';
import { effectSentence } from '#renderer/text/status-labels.ts';
import { text } from '#renderer/text/text.ts';
import { DecisionList } from '#renderer/runs/decision-list.tsx';
import { Fact, Facts } from '#renderer/ui/layout/facts.tsx';
import { Labelled } from '#renderer/ui/layout/labelled.tsx';
import { Panel } from '#renderer/ui/layout/panel.tsx';
import { JsonText } from '#renderer/ui/display/json-text.tsx';
import { EffectChip } from '#renderer/ui/display/status-chip.tsx';

export function EffectPanel({ run }: { readonly run: HandlerRunDetail }) {
  const { mutation } = run;
  if (mutation === null) {
    return (
      <Panel title={text.run.effect}>
        <p className="text-[0.8125rem] text-muted">
          {run.endedAt === null && run.handlerType === 'consumer'
            ? text.run.noEffectYet
            : text.run.noEffect}
        </p>
      </Panel>
    );
  }
  return (
    <Panel title={text.run.effect}>
      <div className="grid gap-3">
        <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1 text-[0.8125rem]">
          <EffectChip status={mutation.status} hasTooltip />
          {effectSentence(mutation)}
        </p>
        <EffectFacts mutation={mutation} />
        <Labelled name={text.run.params}>
          <JsonText label={text.run.params} value={mutation.params} />
        </Labelled>
        {mutation.status === 'applied' ? (
          <Labelled name={text.run.result}>
            <JsonText label={text.run.result} value={mutation.result} />
          </Labelled>
        ) : null}
        {mutation.resolutions.length === 0 ? null : (
          <Labelled name={text.run.decisions}>
            <DecisionList mutation={mutation} />
          </Labelled>
        )}
      </div>
    </Panel>
  );
}

function EffectFacts({ mutation }: { readonly mutation: MutationView }) {
  const { reconcileAttempts, nextReconcileAt, cost } = mutation;
  return (
    <Facts isSingleColumn>
      <Fact name={text.run.call}>
        <EffectCall mutation={mutation} />
      </Fact>
      {cost === 0 ? null : <Fact name={text.run.cost}>{formatCost(cost)}</Fact>}
      {mutation.error === null ? null : <Fact name={text.run.error}>{mutation.error}</Fact>}
      {reconcileAttempts === 0 && nextReconcileAt === null ? null : (
        <Fact name={text.run.reconciled}>
          {text.run.reconciledTimes(
            reconcileAttempts,
            nextReconcileAt === null ? null : exactTime(nextReconcileAt),
          )}
        </Fact>
      )}
      {mutation.lookByHand === '' || !isOutcomeOpen(mutation) ? null : (
        <Fact name={text.run.look}>{mutation.lookByHand}</Fact>
      )}
      <Fact name={text.run.effectId}>
        <code className="font-mono text-xs select-all">{mutation.effectId}</code>
      </Fact>
    </Facts>
  );
}

const isOutcomeOpen = ({ status }: MutationView): boolean =>
  status === 'in_flight' || status === 'needs_reconcile' || status === 'indeterminate';

export function EffectCall({ mutation }: { readonly mutation: MutationView }) {
  return (
    <>
      <code className="font-mono text-xs">
        {mutation.tool}.{mutation.method}
      </code>
      {mutation.title === '' ? null : <span> · {mutation.title}</span>}
    </>
  );
}
