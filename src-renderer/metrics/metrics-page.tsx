// Throughput, latency, failures and queue depth of the host.
import { useEffect } from 'react';
import type { MetricsSnapshot } from '#shared/api/metrics.ts';
import { duration, exactTime } from '#renderer/format/format-time.ts';
import { Chart, type Series } from '#renderer/metrics/chart.tsx';
import { CountTables } from '#renderer/metrics/count-tables.tsx';
import { lastHour, type Minute } from '#renderer/metrics/last-hour.ts';
import { useNow } from '#renderer/format/use-now.ts';
import { metricsText } from '#renderer/text/metrics-text.ts';
import { count } from '#renderer/text/numbers.ts';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { Page } from '#renderer/ui/layout/page.tsx';
import { PageSkeleton } from '#renderer/ui/layout/page-skeleton.tsx';
import { useLiveCall } from '#renderer/stores/use-live-call.ts';

/** Half the host's sampling interval. */
const REFRESH_MS = 5_000;

const THROUGHPUT: readonly Series[] = [
  { name: metricsText.done, valueIn: ({ done }) => done, colour: 'text-accent', shape: 'bars' },
  {
    name: metricsText.failures,
    valueIn: ({ failed }) => failed,
    colour: 'text-bad',
    shape: 'bars',
  },
];
const LATENCY: readonly Series[] = [
  { name: metricsText.p95, valueIn: ({ p95Ms }) => p95Ms, colour: 'text-wait', shape: 'dashed' },
  { name: metricsText.p50, valueIn: ({ p50Ms }) => p50Ms, colour: 'text-accent', shape: 'line' },
];
const DEPTH: readonly Series[] = [
  {
    name: metricsText.waits,
    valueIn: ({ queueDepth }) => queueDepth,
    colour: 'text-active',
    shape: 'bars',
  },
];
const AGE: readonly Series[] = [
  {
    name: metricsText.age,
    valueIn: ({ oldestAgeMs }) => oldestAgeMs,
    colour: 'text-active',
    shape: 'line',
  },
];

export function MetricsPage() {
  const { answer, error, refresh } = useLiveCall('metrics.snapshot', {});
  const now = useNow(REFRESH_MS);
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- reload on every tick, not on every reply.
  useEffect(refresh, [now]);
  return (
    <Page
      title={metricsText.title}
      beside={
        answer ? (
          <span className="text-[0.8125rem] text-muted">
            {metricsText.since(exactTime(answer.since))}
          </span>
        ) : null
      }
    >
      <p className="max-w-3xl text-muted">{metricsText.hint}</p>
      <Failure error={error} onRetry={refresh} />
      {answer ? (
        <MetricsContent snapshot={answer} />
      ) : error === null ? (
        <PageSkeleton label={metricsText.loading} />
      ) : null}
    </Page>
  );
}

function MetricsContent({ snapshot }: { readonly snapshot: MetricsSnapshot }) {
  const minutes = lastHour(snapshot);
  return (
    <>
      <Figures snapshot={snapshot} minutes={minutes} />
      <div className="grid gap-4 md:grid-cols-2">
        <Chart
          title={metricsText.throughput}
          hint={metricsText.throughputHint}
          minutes={minutes}
          series={THROUGHPUT}
          format={count}
          describe={({ done, failed }) => metricsText.doneAndFailed(done, failed)}
        />
        <Chart
          title={metricsText.latency}
          hint={metricsText.latencyHint}
          minutes={minutes}
          series={LATENCY}
          format={duration}
          describe={describeLatency}
        />
        <Chart
          title={metricsText.depth}
          hint={metricsText.depthHint}
          minutes={minutes}
          series={DEPTH}
          format={count}
          describe={({ queueDepth }) => metricsText.things(queueDepth ?? 0)}
        />
        <Chart
          title={metricsText.age}
          hint={metricsText.ageHint}
          minutes={minutes}
          series={AGE}
          format={duration}
          describe={({ oldestAgeMs }) => duration(oldestAgeMs ?? 0)}
        />
      </div>
      <CountTables snapshot={snapshot} />
    </>
  );
}

function describeLatency({ p50Ms, p95Ms }: Minute): string {
  if (p50Ms === null || p95Ms === null) return metricsText.noRuns;
  return metricsText.quantiles(duration(p50Ms), duration(p95Ms));
}

interface FiguresProps {
  readonly snapshot: MetricsSnapshot;
  readonly minutes: readonly Minute[];
}

function Figures({ snapshot: { queues }, minutes }: FiguresProps) {
  const sum = (of: (minute: Minute) => number): number =>
    minutes.reduce((total, minute) => total + of(minute), 0);
  const failed = sum((minute) => minute.failed);
  const latest = minutes.findLast(({ p95Ms }) => p95Ms !== null);
  const shown = (ms: number | null | undefined): string =>
    ms === null || ms === undefined ? metricsText.none : duration(ms);
  const waiting = queues.reduce((total, { depth }) => total + depth, 0);
  const oldest = Math.max(0, ...queues.map(({ oldestAgeMs }) => oldestAgeMs));
  const figures = [
    { name: metricsText.runs, value: count(sum(({ done }) => done)) },
    { name: metricsText.failed, value: count(failed), isBad: failed > 0 },
    { name: metricsText.typical, value: shown(latest?.p50Ms) },
    { name: metricsText.slow, value: shown(latest?.p95Ms) },
    { name: metricsText.waiting, value: count(waiting) },
    { name: metricsText.oldest, value: waiting === 0 ? metricsText.none : duration(oldest) },
  ];
  return (
    <dl
      aria-label={metricsText.figures}
      className="grid grid-cols-2 gap-px overflow-hidden rounded-lg bg-line shadow-raised ring-1 ring-line sm:grid-cols-3 lg:grid-cols-6"
    >
      {figures.map(({ name, value, isBad = false }) => (
        <div key={name} className="grid gap-0.5 bg-surface px-4 py-3">
          <dt className="text-xs text-muted">{name}</dt>
          <dd className={`tabular text-lg font-semibold ${isBad ? 'text-bad' : ''}`}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
