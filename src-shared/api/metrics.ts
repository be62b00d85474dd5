// Calls about how the host is doing.
import { z } from 'zod';
import { millis } from '#shared/api/fields.ts';
import { SERIES_POINTS } from '#shared/limits.ts';

/** One step of ten seconds. What the series is about says `metrics.snapshot`. */
const pointSchema = z.strictObject({
  at: millis,
  done: z.int(),
  failed: z.int(),
  /** Null: nothing was done in this step. */
  p50Ms: z.number().nullable(),
  p95Ms: z.number().nullable(),
  queueDepth: z.int(),
  oldestAgeMs: z.number().min(0),
});
export type MetricsPoint = z.infer<typeof pointSchema>;

const queueSchema = z.strictObject({
  name: z.string(),
  depth: z.int(),
  oldestAgeMs: z.number().min(0),
});
export type QueueView = z.infer<typeof queueSchema>;

const stageSchema = z.strictObject({
  name: z.string(),
  done: z.int(),
  failed: z.int(),
  meanMs: z.number(),
});

export const metricsContract = {
  /** Since the host was started; the series is of the last hour. Nothing of it is kept on disk. */
  'metrics.snapshot': {
    input: z.strictObject({}),
    output: z.strictObject({
      at: millis,
      since: millis,
      stepMs: z.int(),
      /** Runs of handlers: how many ended, how many of them failed, how long they took. */
      runs: z.array(pointSchema).max(SERIES_POINTS),
      /** Stages of the input pipeline, and phases of handlers. */
      stages: z.array(stageSchema),
      /** How many effects ended in which way. */
      effects: z.record(z.string(), z.int()),
      /** How many webhooks were answered with which code. */
      webhooks: z.record(z.string(), z.int()),
      queues: z.array(queueSchema),
      eventLoopDelayP99Ms: z.number(),
    }),
  },
} as const;
export type MetricsSnapshot = z.infer<(typeof metricsContract)['metrics.snapshot']['output']>;
