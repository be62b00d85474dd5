// The search fields of runs. Phases are grouped into four states.
import { z } from 'zod';
import { id, millis } from '#shared/api/fields.ts';
import type { Phase } from '#shared/machines/handler-run.ts';

export const RUN_STATES = ['active', 'waiting', 'failed', 'done'] as const;
export type RunState = (typeof RUN_STATES)[number];

export const MAX_SEARCH_LENGTH = 200;

/** Groups a phase into a state. */
export function runStateOf(phase: Phase): RunState {
  if (phase === 'suspended') return 'waiting';
  if (phase === 'failed') return 'failed';
  return phase === 'committed' ? 'done' : 'active';
}

/** The words of a search. Each must occur in one of the searched fields. */
export const searchWords = (text: string): readonly string[] =>
  text.split(/\s+/).filter((word) => word !== '');

export const runSearchFields = {
  deviceId: id.optional(),
  state: z.enum(RUN_STATES).optional(),
  /** Only runs created at or after this time. */
  since: millis.optional(),
  /** Only runs created before this time. */
  until: millis.optional(),
  /** Every word must occur in the title, handler, workflow or id. */
  text: z.string().max(MAX_SEARCH_LENGTH).optional(),
};
