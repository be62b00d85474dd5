// Registers an input that a person starts. It goes through the same stages as a webhook.
import { createHash } from 'node:crypto';
import type { InputLifecycle, Registered } from '#main/input-lifecycle/input-lifecycle.ts';
import type { Masker } from '#main/secrets/masker.ts';
import type { Json } from '#shared/json.ts';

const MANUAL = 'manual';

export interface ManualStart {
  readonly requestId: string;
  readonly workflowId: string;
  readonly topic: string;
  readonly title: string;
  readonly payload: Json;
}

/** Call inside a write. */
export function startManually(
  runs: InputLifecycle,
  masker: Masker,
  start: ManualStart,
): Registered {
  const payload = masker.maskJson(start.payload);
  const text = JSON.stringify(payload);
  return runs.register(
    {
      workflowId: start.workflowId,
      kind: MANUAL,
      triggerId: MANUAL,
      dedupKey: start.requestId,
      source: 'person',
      type: MANUAL,
      externalId: start.requestId,
      title: start.title,
      topic: start.topic,
      redactPaths: [],
      bytes: Buffer.byteLength(text),
      sha256: createHash('sha256').update(text).digest('hex'),
    },
    payload,
    Buffer.from(JSON.stringify(start.payload)),
  );
}
