// What each status means, in one plain sentence: shown on hover and focus of its chip. A part of
// `text.ts`, beside it to keep both short.
import type { InboxItem } from '#shared/api/inbox.ts';
import type { AutomationRunStatus } from '#shared/machines/automation-run.ts';
import type { EventStatus } from '#shared/machines/event.ts';
import type { Phase } from '#shared/machines/handler-run.ts';
import type { MutationStatus } from '#shared/machines/mutation.ts';
import type { RunnerJobStatus } from '#shared/machines/runner-job.ts';
import type { ScriptRunStatus } from '#shared/machines/script-run.ts';
import type { SnapshotStatus } from '#shared/run-log.ts';
import type { WorkflowState } from '#renderer/text.ts';

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

export const EFFECT_STATUS_SENTENCES: Readonly<Record<MutationStatus, string>> = {
  pending: 'It is written down, and was not sent.',
  in_flight: 'It was sent, or is being sent. What came of it is not known yet.',
  applied: 'It happened.',
  failed: 'It did not happen.',
  needs_reconcile: 'The answer was lost. Holdfast asks the outside what became of it.',
  indeterminate: 'It may have happened or not. Holdfast does not guess: a person decides.',
};

export const EVENT_SENTENCES: Readonly<Record<EventStatus, string>> = {
  pending: 'It waits for a run to take it.',
  reserved: 'A run has taken it, and has not ended yet.',
  consumed: 'A run took it and came to its end with it.',
  skipped: 'It was left out: by a person, or because it failed too often.',
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

export const JOB_SENTENCES: Readonly<Record<RunnerJobStatus, string>> = {
  queued: 'It waits for its turn.',
  running: 'The script runs.',
  cancel_requested: 'The script was asked to stop, and has not stopped yet.',
  succeeded: 'The script ended with exit code 0.',
  failed: 'The script ended with another exit code, or could not be run.',
  canceled: 'A person stopped it, and nothing of it is left.',
  timed_out: 'It took longer than the registry allows, and was stopped.',
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

export const INBOX_SENTENCES: Readonly<Record<InboxItem['type'], string>> = {
  unknown_effect: 'Something was sent, and nobody knows whether it happened.',
  question: 'A workflow asks you, and waits for the answer.',
  approval: 'A run needs something that it may not do, or does not have.',
  set_aside: 'An event failed too often, and others go on without it.',
  stopped: 'A workflow stopped itself, because going on could do harm.',
  incident: 'What only two devices at once could have done. Somebody should look.',
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
