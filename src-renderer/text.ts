// Every sentence a person reads, in one place: to keep them in one voice, and to translate them
// one day. What the host says (errors) comes as sentences already.
import type { WorkflowView } from '#shared/api/contract.ts';
import type { FlagName } from '#shared/flags.ts';
import type { ScriptRunStatus } from '#shared/machines/script-run.ts';
import type { Lane, Trigger } from '#shared/preview.ts';
import type { SnapshotStatus } from '#shared/run-log.ts';

/** The language of the words below; dates and numbers go with it. */
export const LOCALE = 'en-GB';

const numbers = new Intl.NumberFormat(LOCALE);
export const count = (value: number): string => numbers.format(value);
const counted = (value: number, one: string, many: string): string =>
  `${count(value)} ${value === 1 ? one : many}`;

export const STATUS_WORDS: Readonly<Record<ScriptRunStatus | SnapshotStatus, string>> = {
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

export const WORKFLOW_STATUS_WORDS: Readonly<Record<WorkflowView['status'], string>> = {
  active: 'Active',
  paused: 'Paused',
};

export const LANE_WORDS: Readonly<Record<Lane, string>> = { main: 'Main', draft: 'Draft' };

export const TRIGGER_WORDS: Readonly<Record<Trigger, string>> = {
  schedule: 'Schedule',
  manual: 'By hand',
  event: 'Event',
};

export const FLAG_WORDS: Readonly<Record<FlagName, string>> = {
  sandboxPreview: 'Preview only',
  daemonRunIdStrict: 'Bound to its run',
};

export const text = {
  app: {
    name: 'Holdfast',
    skipLink: 'Skip to content',
    navigation: 'Main',
    workflows: 'Workflows',
    runs: 'Runs',
    connected: 'Connected',
    connecting: 'Connecting',
    gone: 'Host gone',
    device: (shortId: string) => `Device ${shortId}`,
    unknownPage: 'There is no such page',
    unknownPageHint: (path: string) =>
      `Nothing is shown at ${path}. The address may be mistyped, or come from another version.`,
    crashed: 'This page broke',
    crashedHint:
      'An error in the page stopped it. Nothing on the host was changed by that. Loading the page again usually helps.',
    reload: 'Load again',
    close: 'Close',
    cancel: 'Cancel',
    tryAgain: 'Try again',
  },

  gone: {
    since: (time: string) => `Host gone: shown as of ${time}, trying again`,
    never: 'The host does not answer, trying again',
  },

  token: {
    title: 'Open Holdfast with its link',
    why: 'This page shows nothing without the key of your host, so that no other program or page on this machine can look in.',
    howFirst: 'In a terminal, run',
    howOr: 'or',
    howSecond: 'Open the address it prints, or paste it here.',
    refused: 'The host did not accept this key: it may belong to another data folder.',
    field: 'Link or key',
    placeholder: 'http://127.0.0.1:…/#token=…',
    submit: 'Open',
    unreadable:
      'This is neither a Holdfast link nor a key. Copy the whole address that was printed.',
  },

  workflows: {
    title: 'Workflows',
    create: 'New workflow',
    emptyTitle: 'No workflows yet',
    emptyHint:
      'A workflow is a script that acts on the outside world for you. Each time it runs, Holdfast keeps a log of what happened, so that nothing happens twice and nothing is lost.',
    name: 'Name',
    status: 'Status',
    activeRun: 'Active run',
    noActiveRun: 'None',
    created: 'Created',
    actions: 'Actions',
    openRun: (shortId: string) => `Run ${shortId}`,
    openActiveRun: 'Open the active run',
    runsOf: (name: string) => `Runs of ${name}`,
    start: 'Start run',
    /** Follows what the button says, for those who hear it out of its row. */
    startOf: (name: string) => ` of ${name}`,
    starting: 'Starting…',
    more: 'Show more',
    loading: 'Loading workflows',
  },

  newWorkflow: {
    title: 'New workflow',
    name: 'Name',
    nameHint: 'What it does, in a few words.',
    namePlaceholder: 'File supplier invoices',
    code: 'Script',
    codeHint: 'Optional. You can add it later.',
    submit: 'Create workflow',
    submitting: 'Creating…',
  },

  runs: {
    title: 'Runs',
    emptyTitle: 'No runs yet',
    emptyHint:
      'A run is one session of a workflow. Start one on the Workflows page, and it appears here at once.',
    toWorkflows: 'Go to workflows',
    noMatchTitle: 'No run matches',
    noMatchHint: 'No run has this workflow and status. New ones appear here by themselves.',
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
    loading: 'Loading runs',
    loaded: (loaded: number, complete: boolean) =>
      complete ? counted(loaded, 'run', 'runs') : `${count(loaded)} loaded, more below`,
    waiting: (waiting: number, more: boolean) =>
      more ? `${count(waiting)}+ new runs` : counted(waiting, 'new run', 'new runs'),
  },

  run: {
    back: 'Runs',
    notFoundTitle: 'There is no such run',
    notFoundHint:
      'This host knows no run with this id. It may be on another device that has not synced yet.',
    loading: 'Loading the run',
    details: 'Details',
    id: 'Run',
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
    empty: 'Nothing recorded yet. What this run does appears here as it happens.',
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

  endRun: {
    open: 'End run…',
    title: 'End this run',
    hint: 'The end is final: it is recorded once, and the run takes no more events.',
    as: 'End it as',
    reason: 'Reason',
    reasonHint: 'Kept with the run, for whoever asks later.',
    submit: 'End run',
    submitting: 'Ending…',
    choices: {
      completed: 'Its work is done.',
      failed: 'It did not do its work.',
      canceled: 'It is no longer wanted.',
    },
  },

  errors: {
    unreachable:
      'The host does not answer. Trying again is safe: the same request counts only once.',
    unreadable:
      'The host answered in a way this page does not understand. They may be of different versions: load the page again.',
  },
} as const;
