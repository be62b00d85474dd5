// Inputs registered in a store without a host: their automation runs are queued.
import { createSilentLog } from '#main/host/log.ts';
import { InputLifecycle } from '#main/input-lifecycle/input-lifecycle.ts';
import type { OpenStore } from '#test/support/open-store.ts';

const INPUT = {
  kind: 'webhook',
  triggerId: 'hook',
  source: 's',
  type: 't',
  externalId: 'e',
  title: 'T',
  topic: null,
  redactPaths: [],
  bytes: 1,
  sha256: '',
} as const;

export function createLifecycle(store: OpenStore): InputLifecycle {
  return new InputLifecycle({ stores: store, store: store.context, log: createSilentLog() });
}

/** The id of its automation run. */
export function registerInput(
  { db }: OpenStore,
  runs: InputLifecycle,
  workflowId: string,
  dedupKey: string,
): string {
  return db.write(() => runs.register({ ...INPUT, workflowId, dedupKey }, null)).runId;
}
