// Calls about the metrics of the host.
import { z } from 'zod';
import { millis } from '#shared/api/fields.ts';
import { SERIES_POINTS } from '#shared/limits.ts';

/** One step of ten seconds in a series of `metrics.snapshot`. */
const pointSchema = z.strictObject({
  at: millis,
  done: z.int(),
  failed: z.int(),
  /** Null if no run ended in this step. */
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
  /** Metrics since the host started, with series of the last hour. They are only in memory. */
  'metrics.snapshot': {
    input: z.strictObject({}),
    output: z.strictObject({
      at: millis,
      since: millis,
      stepMs: z.int(),
      /** Handler runs: how many ended, how many failed, and their durations. */
      runs: z.array(pointSchema).max(SERIES_POINTS),
      /** Stages of the input pipeline and phases of handlers. */
      stages: z.array(stageSchema),
      /** Number of effects by outcome. */
      effects: z.record(z.string(), z.int()),
      /** Number of webhook responses by status code. */
      webhooks: z.record(z.string(), z.int()),
      queues: z.array(queueSchema),
      eventLoopDelayP99Ms: z.number(),
    }),
  },
} as const;
export type MetricsSnapshot = z.infer<(typeof metricsContract)['metrics.snapshot']['output']>;
