import { describe, expect, test } from 'vitest';
import { inboxItemSchema } from '#shared/api/inbox.ts';
import { AUTOMATION_RUN_STATUSES } from '#shared/machines/automation-run.ts';
import { EVENT_STATUSES } from '#shared/machines/event.ts';
import { PHASES } from '#shared/machines/handler-run.ts';
import { MUTATION_STATUSES } from '#shared/machines/mutation.ts';
import { RUNNER_JOB_STATUSES } from '#shared/machines/runner-job.ts';
import { SCRIPT_RUN_STATUSES } from '#shared/session-enums.ts';
import { SNAPSHOT_STATUSES } from '#shared/run-log.ts';
import {
  AUTOMATION_RUN_SENTENCES,
  EFFECT_STATUS_SENTENCES,
  EVENT_SENTENCES,
  INBOX_SENTENCES,
  JOB_SENTENCES,
  PHASE_SENTENCES,
  SESSION_SENTENCES,
  WORKFLOW_SENTENCES,
  WORKFLOW_STATES,
} from '#renderer/text/status-labels.ts';

const MACHINES: readonly [string, readonly string[], Readonly<Record<string, string>>][] = [
  ['handler run', PHASES, PHASE_SENTENCES],
  ['effect', MUTATION_STATUSES, EFFECT_STATUS_SENTENCES],
  ['event', EVENT_STATUSES, EVENT_SENTENCES],
  ['session', [...SCRIPT_RUN_STATUSES, ...SNAPSHOT_STATUSES], SESSION_SENTENCES],
  ['job', RUNNER_JOB_STATUSES, JOB_SENTENCES],
  ['automation run', AUTOMATION_RUN_STATUSES, AUTOMATION_RUN_SENTENCES],
  ['workflow', WORKFLOW_STATES, WORKFLOW_SENTENCES],
  ['inbox', inboxItemSchema.options.map(({ shape }) => shape.type.value), INBOX_SENTENCES],
];

describe('status sentences', () => {
  test.each(MACHINES)('[DX-12] every status of a %s has its own sentence', (_, all, said) => {
    const sentences = [...new Set(all)].map((status) => said[status] ?? '');
    for (const sentence of sentences) expect(sentence).toMatch(/^[A-Z].{10,}\.$/);
    expect(new Set(sentences).size).toBe(sentences.length);
  });
});
