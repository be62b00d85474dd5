// Each status as a word, and as the sentence its chip shows on hover and focus.
import type { InboxItem } from '#shared/api/inbox.ts';
import type { MutationView } from '#shared/api/handler-runs.ts';
import type { RunState } from '#shared/api/run-search.ts';
import type { AutomationRunStatus } from '#shared/machines/automation-run.ts';
import type { EventStatus } from '#shared/machines/event.ts';
import type { Phase, SuspendReason } from '#shared/machines/handler-run.ts';
import type { MutationStatus, Resolution } from '#shared/machines/mutation.ts';
import type { RunnerJobStatus } from '#shared/machines/runner-job.ts';
import type { ScriptRunStatus } from '#shared/session-enums.ts';
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
  unknown: 'The log doesn’t say.',
  booting: 'The workflow is starting.',
  running: 'The workflow is running.',
  validating: 'The results are being validated.',
  completed: 'The workflow had nothing left to do.',
  failed: 'A run of this session failed, and nothing retries it.',
  suspended: 'Some of its work is left. Another session continues it.',
  canceled: 'You ended the session.',
  timed_out: 'The session exceeded its time limit.',
};

export const WORKFLOW_STATES = [
  'running',
  'active',
  'failing',
  'stopped',
  'waiting',
  'held',
  'offline',
  'pausing',
  'paused',
  'released',
] as const;

export type WorkflowState = (typeof WORKFLOW_STATES)[number];

export const WORKFLOW_LABELS: Readonly<Record<WorkflowState, string>> = {
  running: 'Running',
  active: 'Active',
  failing: 'Failing',
  stopped: 'Stopped',
  waiting: 'Waiting for you',
  held: 'Waiting for a host',
  offline: 'Waiting for network',
  pausing: 'Pausing',
  paused: 'Paused',
  released: 'Waiting for its new owner',
};

export const WORKFLOW_SENTENCES: Readonly<Record<WorkflowState, string>> = {
  running: 'A run is in progress.',
  active: 'Ready. It runs when something is due.',
  failing: 'Its last run failed. Open it to see why.',
  stopped: 'A failure stopped it. New inputs wait. Open it to see why, fix the cause, then resume.',
  waiting: 'It waits for your decision in the inbox.',
  held: 'An outside host can’t be reached, asked to wait, or its limit is used up. Holdfast retries automatically.',
  offline:
    'This device has no network. The workflow continues automatically once the network is back.',
  pausing: 'It pauses at the next safe point.',
  paused: 'Nothing runs until you resume it. New inputs wait.',
  released: 'It was handed over, and no device runs it until the new owner has synced.',
};

export const PHASE_LABELS: Readonly<Record<Phase, string>> = {
  pending: 'Pending',
  preparing: 'Preparing',
  prepared: 'Prepared',
  mutating: 'Sending',
  mutated: 'Outcome saved',
  emitting: 'Publishing',
  committed: 'Committed',
  suspended: 'Suspended',
  failed: 'Failed',
  executing: 'Executing',
};

export const PHASE_SENTENCES: Readonly<Record<Phase, string>> = {
  pending: 'About to start.',
  preparing: 'Reading and deciding what to do. Nothing is sent yet. You can still cancel.',
  prepared: 'The plan is saved. Nothing is sent yet. You can still cancel.',
  mutating: 'The effect is in flight. You can’t cancel it now.',
  mutated: 'The outcome of the effect is saved.',
  emitting: 'Publishing events and saving the state.',
  committed: 'Done. Effect, events and state are saved.',
  suspended: 'Waiting for a person, a permission or a retry.',
  failed: 'The run ended without its effect. A new run may retry.',
  executing: 'Looking for new events to publish. It sends nothing.',
};

export const RUN_STATE_LABELS: Readonly<Record<RunState, string>> = {
  active: 'Running',
  waiting: 'Suspended',
  failed: 'Failed',
  done: 'Committed',
};

/** Why a run is suspended, and how it continues. */
export const SUSPEND_SENTENCES: Readonly<Record<SuspendReason, string>> = {
  transient: 'A temporary failure. Holdfast retries automatically.',
  approval: 'This run is waiting for you.',
  reconciliation: 'The outcome of the effect isn’t known yet.',
  logic: 'The workflow’s code failed. The run continues when you resume the workflow.',
  internal: 'Holdfast had an internal error. The run continues when you resume the workflow.',
};

/** The kinds of marks in the sparkline of recent runs. */
export const RECENT_RUN_LABELS = {
  committed: 'committed',
  failed: 'failed',
  suspended: 'suspended',
  running: 'running',
} as const;

export type RecentRunKind = keyof typeof RECENT_RUN_LABELS;

export function recentRunKind(phase: Phase): RecentRunKind {
  return phase === 'committed' || phase === 'failed' || phase === 'suspended' ? phase : 'running';
}

export const EFFECT_LABELS: Readonly<Record<MutationStatus, string>> = {
  pending: 'Not sent',
  in_flight: 'In flight',
  applied: 'Applied',
  failed: 'Failed',
  needs_reconcile: 'Checking',
  indeterminate: 'Outcome unknown',
};

export const EFFECT_STATUS_SENTENCES: Readonly<Record<MutationStatus, string>> = {
  pending: 'Saved, not sent.',
  in_flight: 'Sent or being sent. The outcome isn’t known yet.',
  applied: 'It went through.',
  failed: 'It didn’t go through.',
  needs_reconcile: 'The reply was lost. Holdfast is checking whether it went through.',
  indeterminate: 'It may or may not have gone through. Holdfast never guesses: you decide.',
};

const EFFECT_SENTENCES: Readonly<Record<MutationStatus, string>> = {
  ...EFFECT_STATUS_SENTENCES,
  indeterminate: 'It may or may not have gone through. Holdfast never guesses.',
};

/** A settled outcome is shown as a person's decision, not as a fact. */
const SAID_SENTENCES: Readonly<Partial<Record<`${MutationStatus} ${Resolution}`, string>>> = {
  'applied user_assert_applied': 'You decided that it went through.',
  'failed user_assert_failed': 'You decided that it didn’t go through.',
  'indeterminate user_skip': 'You skipped it. The outcome is unknown.',
};

export function effectSentence({ status, resolutions, canCheck }: MutationView): string {
  const said = resolutions.filter((one) => one.status === 'done');
  const bySaid = said.map((one) => SAID_SENTENCES[`${status} ${one.resolution}`]);
  const sentence = bySaid.findLast((one) => one !== undefined) ?? EFFECT_SENTENCES[status];
  const wasSentAgain = !canCheck && said.some((one) => one.resolution === 'user_retry');
  return wasSentAgain ? `${sentence} You sent it again, so it may have happened twice.` : sentence;
}

export const EVENT_LABELS: Readonly<Record<EventStatus, string>> = {
  pending: 'Pending',
  reserved: 'Reserved',
  consumed: 'Consumed',
  skipped: 'Skipped',
};

export const EVENT_SENTENCES: Readonly<Record<EventStatus, string>> = {
  pending: 'Waiting for a run to take it.',
  reserved: 'Taken by a run that hasn’t ended yet.',
  consumed: 'A run processed it.',
  skipped: 'Skipped by you, or set aside because it failed too often or waited too long.',
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
  queued: 'Waiting to start.',
  running: 'The script is running.',
  cancel_requested: 'Stopping the script.',
  succeeded: 'The script exited with code 0.',
  failed: 'The script exited with another code, or couldn’t start.',
  canceled: 'You stopped it. None of its processes are left.',
  timed_out: 'It exceeded the registry’s time limit and was stopped.',
};

export const AUTOMATION_RUN_LABELS: Readonly<Record<AutomationRunStatus, string>> = {
  queued: 'Queued',
  enriching: 'Enriching',
  ready: 'Ready',
  running: 'Running',
  succeeded: 'Succeeded',
  failed: 'Failed',
  needs_human: 'Needs you',
  canceled: 'Canceled',
  timed_out: 'Timed out',
  skipped: 'Skipped',
};

export const AUTOMATION_RUN_SENTENCES: Readonly<Record<AutomationRunStatus, string>> = {
  queued: 'Received and waiting to start.',
  enriching: 'Holdfast is preparing the payload.',
  ready: 'Prepared. It starts next.',
  running: 'The workflow is working on it.',
  succeeded: 'All of its work is done.',
  failed: 'Part of its work failed for good.',
  needs_human: 'Part of its work waits for you in the inbox.',
  canceled: 'You canceled it.',
  timed_out: 'It exceeded its deadline.',
  skipped: 'Skipped, for the reason shown.',
};

export const INBOX_LABELS: Readonly<Record<InboxItem['type'], string>> = {
  unknown_effect: 'Outcome unknown',
  question: 'Question',
  approval: 'Needs permission',
  set_aside: 'Set aside',
  stopped: 'Stopped',
  left_behind: 'Left behind',
  refused_row: 'Can’t be read',
  incident: 'Two devices acted',
};

export const INBOX_SENTENCES: Readonly<Record<InboxItem['type'], string>> = {
  unknown_effect: 'Something was sent, and it may or may not have gone through.',
  question: 'A workflow has a question and waits for your answer.',
  approval: 'A run needs a permission or a secret it doesn’t have.',
  set_aside: 'An event failed too often or waited too long. Later events continue without it.',
  stopped: 'A workflow stopped itself because continuing could do harm.',
  left_behind: 'The active version can’t continue some work of an earlier version.',
  refused_row: 'This device can’t process a row and skips it.',
  incident: 'Two devices ran this at the same time. Please review.',
};
