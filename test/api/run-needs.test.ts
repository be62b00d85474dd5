// What a run needs from a person, for the inbox and for the status of its workflow.
import { expect, it } from 'vitest';
import { needOfRun } from '#main/api/views/run-needs.ts';
import type { HandlerRun } from '#main/store/tables/handler-runs.ts';
import type { Stores } from '#main/store/stores.ts';
import type { SuspendReason } from '#shared/machines/handler-run.ts';
import type { MutationStatus } from '#shared/machines/mutation.ts';

function needOf(effect: MutationStatus | null, reason: SuspendReason): string | null {
  const mutation = effect === null ? undefined : { state: { status: effect } };
  const stores = { mutations: { ofRun: () => mutation } } as unknown as Stores;
  const state = { phase: 'suspended', resumePhase: 'mutating', reason };
  return needOfRun(stores, { id: 'r', state } as unknown as HandlerRun);
}

it('[CL-7] a run whose outcome is being checked needs nobody', () => {
  expect(needOf('needs_reconcile', 'reconciliation')).toBeNull();
  expect(needOf('in_flight', 'reconciliation')).toBeNull();
  expect(needOf(null, 'transient')).toBeNull();
});

it('[CL-7] an unknown outcome, a question and a missing permission need a person', () => {
  expect(needOf('indeterminate', 'reconciliation')).toBe('unknown_effect');
  expect(needOf('pending', 'approval')).toBe('question');
  expect(needOf(null, 'approval')).toBe('approval');
});
