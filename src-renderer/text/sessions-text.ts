// Sessions: the list, one session, its log.
import type { FlagName } from '#shared/flags.ts';
import type { Lane, Trigger } from '#shared/session-enums.ts';
import { count, counted, rowCounts } from '#renderer/text/numbers.ts';

export const LANE_LABELS: Readonly<Record<Lane, string>> = { main: 'Main', draft: 'Draft' };

export const TRIGGER_LABELS: Readonly<Record<Trigger, string>> = {
  schedule: 'Schedule',
  manual: 'Manual',
  event: 'Event',
};

export const FLAG_LABELS: Readonly<Record<FlagName, string>> = {
  sandboxPreview: 'Dry run',
  daemonRunIdStrict: 'Strict run binding',
};

export const sessionsText = {
  sessions: {
    title: 'Sessions',
    emptyTitle: 'No sessions yet',
    emptyHint:
      'A session is one activation of a workflow, with its runs and its log. The first one appears when a workflow runs.',
    toWorkflows: 'Go to workflows',
    noMatchTitle: 'No sessions match',
    noMatchHint: 'No sessions have this workflow and status. New sessions appear automatically.',
    clearFilters: 'Clear filters',
    filterStatus: 'Status',
    allStatuses: 'All statuses',
    status: 'Status',
    workflow: 'Workflow',
    lane: 'Lane',
    trigger: 'Trigger',
    started: 'Started',
    duration: 'Duration',
    loading: 'Loading sessions',
    ...rowCounts('session', 'sessions'),
  },

  session: {
    back: 'Sessions',
    notFoundTitle: 'Session not found',
    notFoundHint:
      'This host has no session with this id. It may be on a device that hasn’t synced yet, or archived.',
    loading: 'Loading the session',
    runs: 'Runs of this session',
    runCount: 'Runs',
    details: 'Details',
    id: 'Session',
    lane: 'Lane',
    trigger: 'Trigger',
    flags: 'Flags',
    noFlags: 'None',
    script: 'Version',
    scriptAtEnd: 'Version at end',
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
    empty: 'No records yet. They appear here as the session works.',
    records: (total: number) => counted(total, 'record', 'records'),
    newRecords: (fresh: number) => counted(fresh, 'new record', 'new records'),
    step: 'Step',
    attempt: (attempt: number) => `Attempt ${count(attempt)}`,
    showPayload: (seq: number) => `Payload of record ${count(seq)}`,
  },

  snapshot: {
    title: 'Log summary',
    status: 'Status',
    records: 'Records',
    attempt: 'Attempt',
    counts: 'Record types',
    steps: 'Steps',
    none: 'No records yet.',
    moreSteps: (more: number) => `and ${counted(more, 'more step', 'more steps')}`,
    moreEvents: (more: number) => `and ${counted(more, 'more type', 'more types')}`,
  },

  endSession: {
    open: 'End session…',
    title: 'End this session?',
    hint: 'This is final. The session takes no more events.',
    as: 'End as',
    reason: 'Reason',
    reasonHint: 'Saved with the session.',
    submit: 'End session',
    submitting: 'Ending…',
    choices: {
      completed: 'The work is done.',
      failed: 'The work isn’t done.',
      canceled: 'The work is no longer needed.',
    },
  },
} as const;
