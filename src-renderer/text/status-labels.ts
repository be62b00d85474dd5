// Each status as a word, and in one sentence that its chip shows on hover and focus.
import type { InboxItem } from '#shared/api/inbox.ts';
import type { MutationView } from '#shared/api/handler-runs.ts';
import type { RunState } from '#shared/api/run-search.ts';
import type { AutomationRunStatus } from '#shared/machines/automation-run.ts';
import type { EventStatus } from '#shared/machines/event.ts';
import type { Phase, SuspendReason } from '#shared/machines/handler-run.ts';
import type { MutationStatus, Resolution } from '#shared/machines/mutation.ts';
import type { RunnerJobStatus } from '#shared/machines/runner-job.ts';
import type { ScriptRunStatus } from '#shared/machines/script-run.ts';
import type { SnapshotStatus } from '#shared/run-log.ts';

export const SESSION_LABELS: Readonly<Record<ScriptRunStatus | SnapshotStatus, string>> = {
  unknown: 'Unknown',
  booting: 'Booting',
  running: 'Running',
  validating: 'Validating',
  completed: 'Completed',
  failed: 'Failed',
  suspended: 'Suspended',
  canceled: 'Canceled',
  timed_out: 'Timed out',
};

export const SESSION_SENTENCES: Readonly<Record<ScriptRunStatus | SnapshotStatus, string>> = {
  unknown: 'Its log does not say.',
  booting: 'The workflow is being started.',
  running: 'The workflow is at work.',
  validating: 'What was done is being checked.',
  completed: 'The workflow had nothing left to do.',
  failed: 'It ended before its work was done.',
  suspended: 'It was stopped, and can go on in another session.',
  canceled: 'A person ended it.',
  timed_out: 'It took longer than it may.',
};

export const WORKFLOW_STATES = [
  'running',
  'active',
  'failing',
  'stopped',
  'waiting',
  'pausing',
  'paused',
] as const;

export type WorkflowState = (typeof WORKFLOW_STATES)[number];

export const WORKFLOW_LABELS: Readonly<Record<WorkflowState, string>> = {
  running: 'Running',
  active: 'Active',
  failing: 'Failing',
  stopped: 'Failing, stopped',
  waiting: 'Waiting for you',
  pausing: 'Pausing',
  paused: 'Paused',
};

export const WORKFLOW_SENTENCES: Readonly<Record<WorkflowState, string>> = {
  running: 'It is doing something right now.',
  active: 'It is ready, and does its work when something is due.',
  failing: 'It is on, and its last run failed. Open it to see why.',
  stopped:
    'A failure stopped it. What comes in is kept. Open it to see why, mend it, then resume it.',
  waiting: 'It stands still until you settle what waits in the inbox.',
  pausing: 'It stops at its next safe point.',
  paused: 'It does nothing until it is resumed. What comes in is kept.',
};

export const PHASE_LABELS: Readonly<Record<Phase, string>> = {
  pending: 'Pending',
  preparing: 'Preparing',
  prepared: 'Prepared',
  mutating: 'Mutating',
  mutated: 'Mutated',
  emitting: 'Emitting',
  committed: 'Committed',
  suspended: 'Suspended',
  failed: 'Failed',
  executing: 'Executing',
};

export const PHASE_SENTENCES: Readonly<Record<Phase, string>> = {
  pending: 'It is about to begin. Nothing was done yet.',
  preparing: 'It reads and decides what to do. Nothing was sent, and it can still be canceled.',
  prepared: 'What it will do is written down. Nothing was sent, and it can still be canceled.',
  mutating: 'Its one act on the outside is under way. It cannot be called back now.',
  mutated: 'The outside has answered, and the answer is written down.',
  emitting: 'Its act is done. It publishes what follows from it.',
  committed: 'It is done: act, events and state are written down together.',
  suspended: 'It stands still, in the middle of its way, until something is known or decided.',
  failed: 'It ended without its act. Where it makes sense, another run tries again.',
  executing: 'It looks for new things and publishes them. It sends nothing.',
};

export const RUN_STATE_LABELS: Readonly<Record<RunState, string>> = {
  active: 'At work',
  waiting: 'Waiting',
  failed: 'Failed',
  done: 'Done',
};

/** Why a run waits, and what ends that. */
export const SUSPEND_SENTENCES: Readonly<Record<SuspendReason, string>> = {
  transient: 'Something outside failed for a moment. It goes on by itself.',
  approval: 'It waits for you.',
  reconciliation: 'Holdfast does not know yet whether the effect happened.',
  logic: 'The script failed. It goes on when you resume the workflow.',
  internal: 'Something in Holdfast failed. It goes on when you resume the workflow.',
};

/** As the marks of last runs tell them apart. */
export const RECENT_RUN_LABELS = {
  committed: 'committed',
  failed: 'failed',
  suspended: 'waiting',
  atWork: 'at work',
} as const;

export type RecentRunKind = keyof typeof RECENT_RUN_LABELS;

export function recentRunKind(phase: Phase): RecentRunKind {
  return phase === 'committed' || phase === 'failed' || phase === 'suspended' ? phase : 'atWork';
}

export const EFFECT_LABELS: Readonly<Record<MutationStatus, string>> = {
  pending: 'Not sent',
  in_flight: 'In flight',
  applied: 'Applied',
  failed: 'Did not happen',
  needs_reconcile: 'Being checked',
  indeterminate: 'Unknown',
};

export const EFFECT_STATUS_SENTENCES: Readonly<Record<MutationStatus, string>> = {
  pending: 'It is written down, and was not sent.',
  in_flight: 'It was sent, or is being sent. What came of it is not known yet.',
  applied: 'It happened.',
  failed: 'It did not happen.',
  needs_reconcile: 'The answer was lost. Holdfast asks the outside what became of it.',
  indeterminate: 'It may have happened or not. Holdfast does not guess: a person decides.',
};

const EFFECT_SENTENCES: Readonly<Record<MutationStatus, string>> = {
  pending: 'Recorded, and not sent.',
  in_flight: 'On its way. What comes of it is not known yet.',
  applied: 'It happened.',
  failed: 'It did not happen.',
  needs_reconcile: 'The answer was lost. Holdfast is asking what became of it.',
  indeterminate: 'Whether it happened is not known, and Holdfast does not guess.',
};

/** What a person said is told as what a person said. */
const SAID_SENTENCES: Readonly<Partial<Record<`${MutationStatus} ${Resolution}`, string>>> = {
  'applied user_assert_applied': 'A person said that it happened.',
  'failed user_assert_failed': 'A person said that it did not happen.',
  'indeterminate user_skip': 'It was skipped. Whether it happened is not known.',
};

export function effectSentence({ status, resolutions, canCheck }: MutationView): string {
  const said = resolutions.filter((one) => one.status === 'done');
  const bySaid = said.map((one) => SAID_SENTENCES[`${status} ${one.resolution}`]);
  const sentence = bySaid.findLast((one) => one !== undefined) ?? EFFECT_SENTENCES[status];
  const wasSentAgain = !canCheck && said.some((one) => one.resolution === 'user_retry');
  return wasSentAgain
    ? `${sentence} It was sent more than once, on a person’s word: it may have happened twice.`
    : sentence;
}

export const EVENT_LABELS: Readonly<Record<EventStatus, string>> = {
  pending: 'Pending',
  reserved: 'Reserved',
  consumed: 'Consumed',
  skipped: 'Skipped',
};

export const EVENT_SENTENCES: Readonly<Record<EventStatus, string>> = {
  pending: 'It waits for a run to take it.',
  reserved: 'A run has taken it, and has not ended yet.',
  consumed: 'A run took it and came to its end with it.',
  skipped: 'It was left out: by a person, or because it failed too often.',
};

export const JOB_LABELS: Readonly<Record<RunnerJobStatus, string>> = {
  queued: 'Queued',
  running: 'Running',
  cancel_requested: 'Canceling',
  succeeded: 'Succeeded',
  failed: 'Failed',
  canceled: 'Canceled',
  timed_out: 'Timed out',
};

export const JOB_SENTENCES: Readonly<Record<RunnerJobStatus, string>> = {
  queued: 'It waits for its turn.',
  running: 'The script runs.',
  cancel_requested: 'The script was asked to stop, and has not stopped yet.',
  succeeded: 'The script ended with exit code 0.',
  failed: 'The script ended with another exit code, or could not be run.',
  canceled: 'A person stopped it, and nothing of it is left.',
  timed_out: 'It took longer than the registry allows, and was stopped.',
};

export const AUTOMATION_RUN_LABELS: Readonly<Record<AutomationRunStatus, string>> = {
  queued: 'Queued',
  enriching: 'Being read',
  ready: 'Ready',
  running: 'At work',
  succeeded: 'Succeeded',
  failed: 'Failed',
  needs_human: 'Needs you',
  canceled: 'Canceled',
  timed_out: 'Timed out',
  skipped: 'Skipped',
};

export const AUTOMATION_RUN_SENTENCES: Readonly<Record<AutomationRunStatus, string>> = {
  queued: 'It came in, and waits for its turn.',
  enriching: 'What came in is being made ready to work with.',
  ready: 'All is there. It begins next.',
  running: 'Runs are at work on it.',
  succeeded: 'All that followed from it is done.',
  failed: 'Something that followed from it failed for good.',
  needs_human: 'Something that followed from it waits for you in the inbox.',
  canceled: 'A person ended it.',
  timed_out: 'It took longer than it may.',
  skipped: 'It was left out, for the reason that it names.',
};

export const INBOX_LABELS: Readonly<Record<InboxItem['type'], string>> = {
  unknown_effect: 'Outcome unknown',
  question: 'Question',
  approval: 'Needs permission',
  set_aside: 'Set aside',
  stopped: 'Stopped',
  incident: 'Two devices acted',
};

export const INBOX_SENTENCES: Readonly<Record<InboxItem['type'], string>> = {
  unknown_effect: 'Something was sent, and nobody knows whether it happened.',
  question: 'A workflow asks you, and waits for the answer.',
  approval: 'A run needs something that it may not do, or does not have.',
  set_aside: 'An event failed too often, and others go on without it.',
  stopped: 'A workflow stopped itself, because going on could do harm.',
  incident: 'What only two devices at once could have done. Somebody should look.',
};
