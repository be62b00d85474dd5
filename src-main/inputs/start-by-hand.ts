// An input by hand: the same ledger, the same stages, as if it had come by a hook.
import { createHash } from 'node:crypto';
import type { AutomationRuns, Registered } from '#main/inputs/input-lifecycle.ts';
import type { Masker } from '#main/secrets/masker.ts';
import type { Json } from '#shared/json.ts';

const BY_HAND = 'manual';

export interface ByHand {
  readonly requestId: string;
  readonly workflowId: string;
  readonly topic: string;
  readonly title: string;
  readonly payload: Json;
}

/** To be called inside a write. */
export function startByHand(runs: AutomationRuns, masker: Masker, start: ByHand): Registered {
  const payload = masker.maskJson(start.payload);
  const text = JSON.stringify(payload);
  return runs.register(
    {
      workflowId: start.workflowId,
      kind: BY_HAND,
      triggerId: BY_HAND,
      dedupKey: start.requestId,
      source: 'person',
      type: BY_HAND,
      externalId: start.requestId,
      title: start.title,
      topic: start.topic,
      redactPaths: [],
      bytes: Buffer.byteLength(text),
      sha256: createHash('sha256').update(text).digest('hex'),
    },
    payload,
  );
}
