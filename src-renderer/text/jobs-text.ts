// Jobs, and the registry of scripts.
import { counted, rowCounts } from '#renderer/text/numbers.ts';

export const JOB_REASON_SENTENCES: Readonly<Record<string, string>> = {
  recovered_after_crash: 'Holdfast crashed during the job and ended what was left of it.',
  host_stopped: 'Holdfast was stopped and ended the job.',
  could_not_start: 'The script couldn’t be started.',
  not_allowed: 'The registry no longer allows this script.',
  processes_left: 'Some of its processes couldn’t be ended.',
};

export const jobsText = {
  jobs: {
    title: 'Jobs',
    emptyTitle: 'No jobs yet',
    emptyHint:
      'A job runs a script on this machine. You and your workflows can run the scripts in the registry.',
    toScripts: 'Allowed scripts',
    noMatchTitle: 'No jobs match',
    noMatchHint: 'No jobs have this status. New jobs appear automatically.',
    clearFilters: 'Show all jobs',
    filterStatus: 'Status',
    allStatuses: 'All statuses',
    status: 'Status',
    script: 'Script',
    repo: 'Repo',
    by: 'Started by',
    queued: 'Queued',
    duration: 'Duration',
    loading: 'Loading jobs',
    ...rowCounts('job', 'jobs'),
    off: 'The runner is off on this device, so jobs stay queued. Start Holdfast with RUNNER_ENABLED=true to run them.',
    broken: 'The registry is invalid. No scripts run until you fix it.',
  },

  job: {
    back: 'Jobs',
    notFoundTitle: 'Job not found',
    notFoundHint: 'This host has no job with this id. Jobs stay on the device that ran them.',
    loading: 'Loading the job',
    cancel: 'Cancel',
    canceling: 'Canceling…',
    log: 'Log',
    lines: (lines: number) => counted(lines, 'line', 'lines'),
    dropped: (dropped: number) => `first ${counted(dropped, 'line', 'lines')} not shown`,
    newLines: (lines: number) => counted(lines, 'new line', 'new lines'),
    noLog: 'No output yet.',
    logRemoved: 'Removed to free space.',
    stderr: 'stderr:',
    details: 'Details',
    script: 'Script',
    repo: 'Repo',
    by: 'Started by',
    queued: 'Queued',
    duration: 'Duration',
    exit: 'Exit code',
    reason: 'Reason',
    args: 'Arguments',
    id: 'Id',
  },

  scripts: {
    title: 'Allowed scripts',
    loading: 'Loading the registry',
    field: 'Registry',
    hint: (path: string) =>
      `Stored in ${path}. Only scripts listed here can run. Holdfast checks the file before it saves.`,
    problems: 'Not saved. Fix these problems first:',
    save: 'Save',
    saved: 'Saved. Changes apply immediately.',
  },

  runScript: {
    list: 'Scripts',
    emptyTitle: 'No allowed scripts yet',
    emptyHint:
      'You and your workflows can run only scripts in the registry, with the arguments it allows.',
    toRegistry: 'Edit registry',
    toList: 'Scripts',
    run: 'Run…',
    runOf: (title: string) => ` ${title}`,
    repo: 'Repo',
    takes: 'Arguments:',
    takesNothing: 'none',
    withoutNetwork: 'runs without a network',
    optional: (name: string) => `${name} (optional)`,
    notFoundTitle: 'Script not found',
    notFoundHint: 'The registry no longer lists this script, or lists it under another name.',
    noArgs: 'This script takes no arguments.',
    required: 'Required.',
    byDefault: (value: string) => `Default: ${value}.`,
    flaw: (flaw: string) => `This ${flaw}.`,
    choose: 'Not set',
    /** Jobs store "person" for anyone who uses the window or the command line. */
    asker: (requestedBy: string) => (requestedBy === 'person' ? 'You' : requestedBy),
    number: (min: number | undefined, max: number | undefined) => {
      if (min !== undefined && max !== undefined) return `From ${min} to ${max}.`;
      if (min !== undefined) return `At least ${min}.`;
      return max === undefined ? '' : `At most ${max}.`;
    },
    path: 'A path inside the repo.',
    submit: 'Run',
    again: 'Run again',
    change: 'Edit and run…',
    gone: 'The earlier job no longer exists, so the form starts empty.',
  },
} as const;
