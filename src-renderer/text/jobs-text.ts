// Jobs, and the registry of scripts.
import { count, counted } from '#renderer/text/numbers.ts';

export const JOB_REASON_SENTENCES: Readonly<Record<string, string>> = {
  recovered_after_crash: 'Holdfast stopped while it ran. What was left of it was ended.',
  host_stopped: 'Holdfast was stopped, and ended it.',
  could_not_start: 'It could not be started.',
  not_allowed: 'The registry does not allow it any more.',
  processes_left: 'Some of its processes could not be ended.',
};

export const jobsText = {
  jobs: {
    title: 'Jobs',
    emptyTitle: 'No jobs yet',
    emptyHint:
      'A job is one run of a script on this machine. Scripts that may run are listed in the registry; people and workflows can start them.',
    toScripts: 'Scripts that may run',
    noMatchTitle: 'No job matches',
    noMatchHint: 'There is no job with this status. New ones appear here by themselves.',
    clearFilters: 'Show all jobs',
    filterStatus: 'Status',
    allStatuses: 'All statuses',
    status: 'Status',
    script: 'Script',
    repo: 'Repo',
    by: 'Asked by',
    queued: 'Queued',
    duration: 'Duration',
    loading: 'Loading jobs',
    loaded: (loaded: number, complete: boolean) =>
      complete ? counted(loaded, 'job', 'jobs') : `${count(loaded)} loaded, more below`,
    waiting: (waiting: number, more: boolean) =>
      more ? `${count(waiting)}+ new jobs` : counted(waiting, 'new job', 'new jobs'),
    off: 'The runner is switched off on this device: jobs wait. Start Holdfast with RUNNER_ENABLED=true to run them.',
    broken: 'The registry of scripts cannot be used: until it is mended, no script runs.',
  },

  job: {
    back: 'Jobs',
    notFoundTitle: 'There is no such job',
    notFoundHint: 'This host knows no job with this id. Jobs stay on the device that ran them.',
    loading: 'Loading the job',
    cancel: 'Cancel',
    canceling: 'Canceling…',
    log: 'Log',
    lines: (lines: number) => counted(lines, 'line', 'lines'),
    dropped: (dropped: number) => `the first ${counted(dropped, 'line', 'lines')} not shown`,
    newLines: (lines: number) => counted(lines, 'new line', 'new lines'),
    noLog: 'Nothing was printed so far.',
    logRemoved: 'It was removed to make room.',
    stderr: 'Error output:',
    details: 'Details',
    script: 'Script',
    repo: 'Repo',
    by: 'Asked by',
    queued: 'Queued',
    duration: 'Duration',
    exit: 'Exit code',
    reason: 'Why',
    args: 'Arguments',
    id: 'Id',
  },

  scripts: {
    title: 'Scripts that may run',
    loading: 'Loading the registry',
    field: 'Registry',
    hint: (path: string) =>
      `Kept in ${path}. What is not listed here cannot be run by anybody. It is checked before it is saved.`,
    problems: 'It was not saved. Mend this first:',
    save: 'Save',
    saved: 'Saved. It counts at once.',
  },

  runScript: {
    list: 'Scripts',
    emptyTitle: 'No script may run yet',
    emptyHint:
      'Only scripts that the registry lists can be run, by you or by a workflow, and only with the arguments that it allows.',
    toRegistry: 'Edit the registry',
    toList: 'Scripts',
    run: 'Run…',
    runOf: (title: string) => ` ${title}`,
    repo: 'Repo',
    takes: 'Takes',
    takesNothing: 'no arguments',
    optional: (name: string) => `${name} (optional)`,
    notFoundTitle: 'There is no such script',
    notFoundHint: 'The registry does not list it any more, or lists it under another name.',
    command: 'Arguments',
    noArgs: 'It takes no arguments.',
    required: 'Required.',
    byDefault: (value: string) => `Left empty: ${value}.`,
    missing: 'is missing',
    flaw: (flaw: string) => `It ${flaw}.`,
    notANumber: 'must be a number',
    choose: 'Not chosen',
    /** Who asked for a job: people are told by that word alone. */
    asker: (requestedBy: string) => (requestedBy === 'person' ? 'You' : requestedBy),
    number: (min: number | undefined, max: number | undefined) => {
      if (min !== undefined && max !== undefined) return `From ${min} to ${max}.`;
      if (min !== undefined) return `At least ${min}.`;
      return max === undefined ? '' : `At most ${max}.`;
    },
    path: 'A path within the repo.',
    submit: 'Run',
    again: 'Run again',
    change: 'Change and run…',
    gone: 'The job whose arguments were wanted is gone: the form begins empty.',
  },
} as const;
