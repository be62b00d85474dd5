// The metrics page.
import { count, counted } from '#renderer/text/numbers.ts';

/** Unknown names, for example from a newer host, are shown as they are. */
const labelFrom =
  (words: Readonly<Record<string, string>>) =>
  (name: string): string =>
    (Object.hasOwn(words, name) ? words[name] : undefined) ?? name;

export const metricsText = {
  name: 'Metrics',
  title: 'Metrics',
  loading: 'Loading metrics',
  hint: 'This device, last hour, by minute. Metrics reset when Holdfast restarts.',
  since: (time: string) => `Counting since ${time}`,
  figures: 'Last hour',
  runs: 'Runs',
  failed: 'Failed',
  typical: 'Median duration',
  slow: 'p95 duration',
  waiting: 'Queued now',
  oldest: 'Oldest',
  none: '–',
  throughput: 'Runs',
  throughputHint: 'Handler runs that ended per minute, and how many failed.',
  latency: 'Run duration',
  latencyHint: 'p50 and p95 of the slowest ten seconds in each minute.',
  depth: 'Queue depth',
  depthHint: 'Peak across all queues in each minute.',
  age: 'Oldest in queue',
  ageHint: 'Longest wait in each minute.',
  minute: 'Minute',
  done: 'Ended',
  failures: 'Failed',
  p50: 'p50',
  p95: 'p95',
  asTable: 'View as table',
  nothing: 'Nothing in the last hour.',
  tableOf: (chart: string) => `${chart} by minute`,
  choose: (chart: string) => `${chart}: minute`,
  atMost: (value: string) => `max ${value}`,
  doneAndFailed: (done: number, failed: number) =>
    failed === 0
      ? counted(done, 'run', 'runs')
      : `${counted(done, 'run', 'runs')}, ${count(failed)} failed`,
  quantiles: (p50: string, p95: string) => `p50 ${p50}, p95 ${p95}`,
  noRuns: 'no runs',
  notRunning: 'Holdfast wasn’t running',
  things: (depth: number) => `${count(depth)} queued`,
  queues: 'Queues',
  queue: 'Queue',
  waits: 'Queued',
  stages: 'Stages and phases',
  stage: 'Stage',
  mean: 'Mean',
  effects: 'Effects',
  effect: 'Outcome',
  webhooks: 'Webhooks',
  code: 'Response',
  times: 'Count',
  nothingYet: 'Nothing yet.',
} as const;

export const queueLabel = labelFrom({
  events: 'Pending events',
  runner: 'Queued jobs',
  outbox: 'Input stages',
});
