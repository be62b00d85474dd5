// Sessions: the list, one session, its log.
import type { FlagName } from '#shared/flags.ts';
import type { Lane, Trigger } from '#shared/session-enums.ts';
import { count, counted } from '#renderer/text/numbers.ts';

export const LANE_LABELS: Readonly<Record<Lane, string>> = { main: 'Main', draft: 'Draft' };

export const TRIGGER_LABELS: Readonly<Record<Trigger, string>> = {
  schedule: 'Schedule',
  manual: 'By hand',
  event: 'Event',
};

export const FLAG_LABELS: Readonly<Record<FlagName, string>> = {
  sandboxPreview: 'Preview only',
  daemonRunIdStrict: 'Bound to its run',
};

export const sessionsText = {
  sessions: {
    title: 'Sessions',
    emptyTitle: 'No sessions yet',
    emptyHint:
      'A session is a time in which a workflow was at work, with its runs and its log. The first one appears here when a workflow runs.',
    toWorkflows: 'Go to workflows',
    noMatchTitle: 'No session matches',
    noMatchHint: 'No session has this workflow and status. New ones appear here by themselves.',
    clearFilters: 'Clear filters',
    filterWorkflow: 'Workflow',
    filterStatus: 'Status',
    allWorkflows: 'All workflows',
    allStatuses: 'All statuses',
    status: 'Status',
    workflow: 'Workflow',
    lane: 'Lane',
    trigger: 'Trigger',
    started: 'Started',
    duration: 'Duration',
    loading: 'Loading sessions',
    loaded: (loaded: number, complete: boolean) =>
      complete ? counted(loaded, 'session', 'sessions') : `${count(loaded)} loaded, more below`,
    waiting: (waiting: number, more: boolean) =>
      more ? `${count(waiting)}+ new sessions` : counted(waiting, 'new session', 'new sessions'),
  },

  session: {
    back: 'Sessions',
    notFoundTitle: 'There is no such session',
    notFoundHint:
      'This host knows no session with this id. It may be on another device that has not synced yet.',
    loading: 'Loading the session',
    runs: 'Runs of this session',
    details: 'Details',
    id: 'Session',
    lane: 'Lane',
    trigger: 'Trigger',
    flags: 'Flags',
    noFlags: 'None',
    script: 'Script',
    scriptAtEnd: 'Script at end',
    noScript: 'None',
    device: 'Device',
    sandbox: 'Sandbox',
    started: 'Started',
    ended: 'Ended',
    duration: 'Duration',
    stillRunning: 'Not yet',
    reason: 'Reason',
  },

  log: {
    title: 'Event log',
    empty: 'Nothing recorded yet. What this session does appears here as it happens.',
    records: (total: number) => counted(total, 'record', 'records'),
    newRecords: (fresh: number) => counted(fresh, 'new record', 'new records'),
    step: 'Step',
    attempt: (attempt: number) => `Attempt ${count(attempt)}`,
    showPayload: (seq: number) => `Payload of record ${count(seq)}`,
  },

  snapshot: {
    title: 'As the log tells it',
    status: 'Status',
    records: 'Records',
    attempt: 'Attempt',
    counts: 'By event',
    steps: 'Steps',
    none: 'Nothing recorded yet.',
    moreSteps: (more: number) => `and ${counted(more, 'more step', 'more steps')}`,
    moreEvents: (more: number) => `and ${counted(more, 'more kind', 'more kinds')} of event`,
  },

  endSession: {
    open: 'End session…',
    title: 'End this session',
    hint: 'The end is final: it is recorded once, and the session takes no more events.',
    as: 'End it as',
    reason: 'Reason',
    reasonHint: 'Kept with the session, for whoever asks later.',
    submit: 'End session',
    submitting: 'Ending…',
    choices: {
      completed: 'Its work is done.',
      failed: 'It did not do its work.',
      canceled: 'It is no longer wanted.',
    },
  },
} as const;
