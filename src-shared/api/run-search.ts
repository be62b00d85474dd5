// What runs can be found by. Their phases are grouped into what a person asks for.
import { z } from 'zod';
import { id, millis } from '#shared/api/fields.ts';
import type { Phase } from '#shared/machines/handler-run.ts';

export const RUN_STATES = ['active', 'waiting', 'failed', 'done'] as const;
export type RunState = (typeof RUN_STATES)[number];

export const MAX_SEARCH_LENGTH = 200;

/** At work, waiting for something or somebody, ended badly, ended well. */
export function runStateOf(phase: Phase): RunState {
  if (phase === 'suspended') return 'waiting';
  if (phase === 'failed') return 'failed';
  return phase === 'committed' ? 'done' : 'active';
}

/** The words of a search: each must be found, in any of what is searched. */
export const searchWords = (text: string): readonly string[] =>
  text.split(/\s+/).filter((word) => word !== '');

export const runSearchFields = {
  deviceId: id.optional(),
  state: z.enum(RUN_STATES).optional(),
  /** Only runs that were made at or after this time. */
  since: millis.optional(),
  /** Only runs that were made before this time. */
  until: millis.optional(),
  /** Words that all stand in the title, the handler, the workflow or the id. */
  text: z.string().max(MAX_SEARCH_LENGTH).optional(),
};
