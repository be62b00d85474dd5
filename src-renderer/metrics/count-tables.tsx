// Counts since start, by queue, stage, outcome and response.
import type { MetricsSnapshot } from '#shared/api/metrics.ts';
import { duration } from '#renderer/format/format-time.ts';
import { metricsText, queueLabel } from '#renderer/text/metrics-text.ts';
import { count } from '#renderer/text/numbers.ts';
import { Panel } from '#renderer/ui/layout/panel.tsx';

export function CountTables({ snapshot }: { readonly snapshot: MetricsSnapshot }) {
  const { queues, stages, effects, webhooks } = snapshot;
  return (
    <div className="grid items-start gap-4 md:grid-cols-2">
      <CountTable
        title={metricsText.queues}
        columns={[metricsText.queue, metricsText.waits, metricsText.oldest]}
        rows={queues.map(({ name, depth, oldestAgeMs }) => [
          queueLabel(name),
          count(depth),
          depth === 0 ? metricsText.none : duration(oldestAgeMs),
        ])}
      />
      <CountTable
        title={metricsText.stages}
        columns={[metricsText.stage, metricsText.done, metricsText.failed, metricsText.mean]}
        rows={stages.map(({ name, done, failed, meanMs }) => [
          name,
          count(done),
          count(failed),
          duration(meanMs),
        ])}
      />
      <CountTable
        title={metricsText.effects}
        columns={[metricsText.effect, metricsText.times]}
        rows={Object.entries(effects).map(([name, times]) => [name, count(times)])}
      />
      <CountTable
        title={metricsText.webhooks}
        columns={[metricsText.code, metricsText.times]}
        rows={Object.entries(webhooks).map(([code, times]) => [code, count(times)])}
      />
    </div>
  );
}

interface Props {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

function CountTable({ title, columns, rows }: Props) {
  return (
    <Panel title={title}>
      {rows.length === 0 ? (
        <p className="text-[0.8125rem] text-muted">{metricsText.nothingYet}</p>
      ) : (
        <table aria-label={title} className="tabular w-full text-left text-[0.8125rem]">
          <thead className="text-xs text-muted">
            <tr>
              {columns.map((name, index) => (
                <th key={name} className={`font-medium ${index === 0 ? '' : 'text-right'}`}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(([name = '', ...values]) => (
              <tr key={name} className="border-t border-line">
                <td className="py-1 wrap-anywhere">{name}</td>
                {values.map((value, index) => (
                  <td key={columns[index + 1]} className="py-1 text-right">
                    {value}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  );
}
