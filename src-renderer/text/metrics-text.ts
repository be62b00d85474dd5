// The metrics page.
import { count, counted } from '#renderer/text/numbers.ts';

/** What this version does not know is told by its own name. */
const labelFrom =
  (words: Readonly<Record<string, string>>) =>
  (name: string): string =>
    (Object.hasOwn(words, name) ? words[name] : undefined) ?? name;

export const metricsText = {
  name: 'Metrics',
  title: 'Metrics',
  loading: 'Loading the metrics',
  hint: 'The last hour, minute by minute, of this device. Nothing of it is kept when Holdfast stops.',
  since: (time: string) => `Counted since ${time}`,
  figures: 'The last hour in figures',
  runs: 'Runs ended',
  failed: 'Failed',
  typical: 'Typical duration',
  slow: 'Slow duration',
  waiting: 'Waiting now',
  oldest: 'Oldest waits',
  none: '–',
  throughput: 'Runs ended',
  throughputHint: 'How many runs of handlers ended in each minute, and how many of them failed.',
  latency: 'Duration of runs',
  latencyHint:
    'Half of the runs took no longer than p50, 95 of 100 no longer than p95: the worst ten seconds of each minute.',
  depth: 'Waiting',
  depthHint: 'How much waited at most in each minute, in all queues.',
  age: 'Oldest waits',
  ageHint: 'How long the oldest had waited, at most in each minute.',
  minute: 'Minute',
  done: 'Ended',
  failures: 'Failed',
  p50: 'p50',
  p95: 'p95',
  asTable: 'As a table',
  nothing: 'Nothing in the last hour.',
  tableOf: (chart: string) => `${chart}, as a table`,
  choose: (chart: string) => `${chart}: minute`,
  atMost: (value: string) => `at most ${value}`,
  doneAndFailed: (done: number, failed: number) =>
    failed === 0
      ? counted(done, 'run', 'runs')
      : `${counted(done, 'run', 'runs')}, ${count(failed)} failed`,
  quantiles: (p50: string, p95: string) => `p50 ${p50}, p95 ${p95}`,
  noRuns: 'no runs',
  notRunning: 'Holdfast was not running',
  things: (depth: number) => counted(depth, 'waits', 'wait'),
  queues: 'Queues',
  queue: 'Queue',
  waits: 'Waiting',
  stages: 'Stages and phases',
  stage: 'Stage',
  mean: 'Mean',
  effects: 'Effects',
  effect: 'Came out',
  webhooks: 'Webhooks',
  code: 'Answered',
  times: 'Times',
  nothingYet: 'Nothing yet.',
} as const;

export const queueLabel = labelFrom({
  events: 'Events to be taken',
  runner: 'Jobs to be run',
  outbox: 'Stages of inputs',
});
