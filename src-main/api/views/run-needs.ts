// Derives the need of a run for a person. The inbox and the status of a workflow both use it, so they
// never disagree.
import { ifReadable } from '#main/api/views/shown-rows.ts';
import type { HandlerRun } from '#main/store/tables/handler-runs.ts';
import type { Stores } from '#main/store/stores.ts';

export type RunNeed = 'unknown_effect' | 'question' | 'approval';

/** Null also for a suspended run that continues without a person, for example after a check. */
export function needOfRun(stores: Stores, { id, state }: HandlerRun): RunNeed | null {
  if (state.phase !== 'suspended') return null;
  switch (ifReadable(() => stores.mutations.ofRun(id)?.state.status, undefined)) {
    case 'indeterminate':
      return 'unknown_effect';
    case 'pending':
      return 'question';
    default:
      return state.reason === 'approval' ? 'approval' : null;
  }
}
