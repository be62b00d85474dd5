// Validates and normalizes the result of prepare(). User code may omit fields and pass whole events;
// the checkpoint gets every field, with event ids.
import { z } from 'zod';
import type { Json } from '#shared/json.ts';
import { json } from '#shared/json-field.ts';
import { MAX_NAME_LENGTH, MAX_RESERVATIONS, MAX_WAKE_MS, MIN_WAKE_MS } from '#shared/limits.ts';

const reservation = z.union([
  z.string().min(1),
  z.object({ id: z.string().min(1) }).transform((event) => event.id),
]);

const returnedSchema = z
  .strictObject({
    reservations: z.array(reservation).max(MAX_RESERVATIONS).default([]),
    data: json.default(null),
    ui: z
      .strictObject({ title: z.string().max(MAX_NAME_LENGTH) })
      .partial()
      .default({}),
    wakeAt: z.union([z.number(), z.string()]).optional(),
  })
  .nullable()
  .transform((value) => value ?? { reservations: [], data: null, ui: {} });

export interface Prepared {
  readonly reservations: readonly string[];
  readonly data: Json;
  readonly title: string | null;
  readonly wakeAt: number | null;
}

export type PrepareParsed =
  | { readonly ok: true; readonly prepared: Prepared }
  | { readonly ok: false; readonly problem: string };

export function parsePrepared(value: Json, now: number): PrepareParsed {
  const parsed = returnedSchema.safeParse(value);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(
      (issue) => `${issue.path.join('.') || 'result'}: ${issue.message}`,
    );
    return { ok: false, problem: `prepare() returned an invalid result: ${problems.join('; ')}.` };
  }
  const { reservations, data, ui, wakeAt } = parsed.data as typeof parsed.data & {
    wakeAt?: number | string;
  };
  const wake = wakeAt === undefined ? null : readTime(wakeAt);
  if (wake !== null && Number.isNaN(wake)) {
    return {
      ok: false,
      problem: `prepare() returned an invalid wakeAt: ${String(wakeAt)}.`,
    };
  }
  return {
    ok: true,
    prepared: {
      reservations: [...new Set(reservations)],
      data,
      title: ui.title ?? null,
      wakeAt: wake === null ? null : clamp(wake, now),
    },
  };
}

function readTime(value: number | string): number {
  return typeof value === 'number' ? value : Date.parse(value);
}

function clamp(wake: number, now: number): number {
  return Math.round(Math.min(Math.max(wake, now + MIN_WAKE_MS), now + MAX_WAKE_MS));
}
