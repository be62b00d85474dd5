// Every sentence a person reads, in one place: to keep them in one voice, and to translate them
// one day. What the host says (errors) comes as sentences already.
import type { InboxItem } from '#shared/api/inbox.ts';
import type { MutationView } from '#shared/api/handler-runs.ts';
import type { RunState } from '#shared/api/run-search.ts';
import type { FlagName } from '#shared/flags.ts';
import type { EventStatus } from '#shared/machines/event.ts';
import type { ErrorType, HandlerType, Phase, SuspendReason } from '#shared/machines/handler-run.ts';
import type { MutationStatus, Resolution } from '#shared/machines/mutation.ts';
import type { RunnerJobStatus } from '#shared/machines/runner-job.ts';
import type { ScriptRunStatus } from '#shared/machines/script-run.ts';
import type { Lane, Trigger } from '#shared/preview.ts';
import type { SnapshotStatus } from '#shared/run-log.ts';
import type { Period } from '#renderer/period.ts';
import { count, counted } from '#renderer/text/counted.ts';
import { devicesText, pairingText } from '#renderer/text/devices.ts';
import { runScriptText } from '#renderer/text/run-script.ts';
import { settingsText } from '#renderer/text/settings.ts';

export { count, LOCALE } from '#renderer/text/counted.ts';
export { LINK_NEXT_STEPS } from '#renderer/text/devices.ts';

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

export const WORKFLOW_STATE_WORDS: Readonly<Record<WorkflowState, string>> = {
  running: 'Running',
  active: 'Active',
  failing: 'Failing',
  stopped: 'Failing, stopped',
  waiting: 'Waiting for you',
  pausing: 'Pausing',
  paused: 'Paused',
};

export const PHASE_WORDS: Readonly<Record<Phase, string>> = {
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

export const RUN_STATE_WORDS: Readonly<Record<RunState, string>> = {
  active: 'At work',
  waiting: 'Waiting',
  failed: 'Failed',
  done: 'Done',
};

export const PERIOD_WORDS: Readonly<Record<Period, string>> = {
  '1h': 'Last hour',
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
};

/** Why a run waits, and what ends that. */
export const SUSPEND_SENTENCES: Readonly<Record<SuspendReason, string>> = {
  transient: 'Something outside failed for a moment. It goes on by itself.',
  approval: 'It waits for you.',
  reconciliation: 'Holdfast does not know yet whether the effect happened.',
  logic: 'The script failed. It goes on when you resume the workflow.',
  internal: 'Something in Holdfast failed. It goes on when you resume the workflow.',
};

export const EFFECT_WORDS: Readonly<Record<MutationStatus, string>> = {
  pending: 'Not sent',
  in_flight: 'In flight',
  applied: 'Applied',
  failed: 'Did not happen',
  needs_reconcile: 'Being checked',
  indeterminate: 'Unknown',
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
  const said = resolutions.filter((one) => one.status === 'carried_out');
  const bySaid = said.map((one) => SAID_SENTENCES[`${status} ${one.resolution}`]);
  const sentence = bySaid.findLast((one) => one !== undefined) ?? EFFECT_SENTENCES[status];
  const wasSentAgain = !canCheck && said.some((one) => one.resolution === 'user_retry');
  return wasSentAgain
    ? `${sentence} It was sent more than once, on a person’s word: it may have happened twice.`
    : sentence;
}

const HISTORY_WORDS: Readonly<Record<string, string>> = {
  'run.failed': 'It failed',
  'run.suspended': 'It came to a stand',
  'effect.indeterminate': 'The outcome became unknown',
  'effect.resolved': 'A person decided',
  'schedule.missed': 'Times of its schedule were missed',
};

/** What this version does not know is told by its own name. */
export const historyWord = (type: string): string =>
  (Object.hasOwn(HISTORY_WORDS, type) ? HISTORY_WORDS[type] : undefined) ?? type;

export const EVENT_WORDS: Readonly<Record<EventStatus, string>> = {
  pending: 'Pending',
  reserved: 'Reserved',
  consumed: 'Consumed',
  skipped: 'Skipped',
};

export const ERROR_TYPE_WORDS: Readonly<Record<ErrorType, string>> = {
  auth: 'Not signed in',
  permission: 'Not permitted',
  network: 'Outside not reached',
  logic: 'In the script',
  internal: 'In Holdfast',
};

export const HANDLER_TYPE_WORDS: Readonly<Record<HandlerType, string>> = {
  producer: 'Producer',
  consumer: 'Consumer',
};

const RESOLUTION_WORDS: Readonly<Record<Exclude<Resolution, 'user_retry'>, string>> = {
  user_assert_applied: 'It happened',
  user_assert_failed: 'It did not happen',
  user_skip: 'Skip',
};

/** To try again is to ask where that can be done, and to send where it cannot. */
export function resolutionWord(resolution: Resolution, canCheck: boolean): string {
  if (resolution !== 'user_retry') return RESOLUTION_WORDS[resolution];
  return canCheck ? 'Check again' : 'Send again';
}

export const RESOLUTION_STATUS_WORDS: Readonly<
  Record<MutationView['resolutions'][number]['status'], string>
> = {
  waiting: 'Waits to be carried out',
  carried_out: 'Carried out',
  superseded: 'Superseded',
  refused: 'Refused',
};

export const INBOX_WORDS: Readonly<Record<InboxItem['type'], string>> = {
  unknown_effect: 'Outcome unknown',
  question: 'Question',
  approval: 'Needs permission',
  set_aside: 'Set aside',
  stopped: 'Stopped',
  incident: 'Two devices acted',
};

export const JOB_STATUS_WORDS: Readonly<Record<RunnerJobStatus, string>> = {
  queued: 'Queued',
  running: 'Running',
  cancel_requested: 'Canceling',
  succeeded: 'Succeeded',
  failed: 'Failed',
  canceled: 'Canceled',
  timed_out: 'Timed out',
};

export const JOB_REASON_SENTENCES: Readonly<Record<string, string>> = {
  recovered_after_crash: 'Holdfast stopped while it ran. What was left of it was ended.',
  host_stopped: 'Holdfast was stopped, and ended it.',
  could_not_start: 'It could not be started.',
  not_allowed: 'The registry does not allow it any more.',
  processes_left: 'Some of its processes could not be ended.',
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
    inbox: 'Inbox',
    inboxCount: (items: number) => counted(items, 'thing waits for you', 'things wait for you'),
    workflows: 'Workflows',
    runs: 'Runs',
    jobs: 'Jobs',
    devices: 'Devices',
    settings: 'Settings',
    connected: 'Connected',
    connecting: 'Connecting',
    gone: 'Host gone',
    device: (shortId: string) => `Device ${shortId}`,
    nextRow: 'Next row',
    previousRow: 'Previous row',
    thisDevice: (name: string) => `${name} (this device)`,
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

  inbox: {
    title: 'Inbox',
    empty: 'Nothing waits for you.',
    emptyHint:
      'When only you can tell what became of something, or a workflow asks you, it appears here. Until then all goes on by itself.',
    loading: 'Loading the inbox',
    waiting: (items: number) => counted(items, 'thing waits for you', 'things wait for you'),
    run: 'Open the run',
    runs: 'Its runs',
    recorded: (choice: string, title: string) => `“${choice}” is recorded for “${title}”.`,
    answered: (title: string) => `Your answer to “${title}” is recorded.`,
    asked: (title: string) => `Holdfast was told to go on with “${title}”.`,
    follow: 'See what comes of it',
    awaiting: 'Recorded. What comes of it is shown when the ledger says so.',
    decided: (choice: string, device: string) => `“${choice}”, decided on ${device}.`,
    askedBack:
      'The device that runs this workflow was asked to take it back. Whichever it hears of first counts.',
    undo: 'Undo',
    settleAs: (choice: string) => `Settle as “${choice}”`,
    next: 'Next thing',
    previous: 'Previous thing',
  },

  unknown: {
    what: 'This was sent, and no answer came that proves what became of it. The workflow stands still until you decide.',
    sent: 'What was sent',
    call: 'Call',
    at: 'Sent',
    device: 'On device',
    why: 'Why unknown',
    check: 'Can be checked',
    checkYes: (attempts: number) =>
      attempts === 0
        ? 'Yes, Holdfast can ask what became of it.'
        : `Yes. Holdfast has asked ${counted(attempts, 'time', 'times')}, without proof.`,
    checkNo: 'No, Holdfast has no way to ask.',
    look: 'Look by hand',
    effectId: 'Effect id',
    params: 'Parameters',
    earlier: 'Earlier decisions',
    decide: 'What became of it?',
    happenedHint: 'The run goes on as if the answer had come. Nothing is sent.',
    didNotHappenHint: 'This run ends, and a new one tries anew: it will be sent.',
    checkHint: 'Holdfast asks the outside. Only if it did not happen, it is tried anew.',
    sendHint: 'The same is sent once more. If it did happen, it may happen twice.',
    skipHint: 'The workflow goes on without it. Nothing is sent; the outcome stays unknown.',
    more: 'Add a note or a result',
    note: 'Note',
    noteHint: 'Optional. Kept with your decision.',
    result: 'Result',
    resultHint: 'Optional, as JSON. Goes with “It happened”: what the answer would have said.',
    resultProblem: 'This is not JSON. Mend it or leave it empty; nothing was recorded.',
  },

  sendAgain: {
    title: 'Send it again?',
    warning:
      'Holdfast cannot ask whether it happened. If it did, sending it again may make it happen twice.',
    look: 'Look first, if you can:',
    submit: 'Send again, it may happen twice',
    submitting: 'Sending…',
  },

  question: {
    answer: 'Your answer',
    submit: 'Answer',
    submitting: 'Answering…',
    details: 'Details',
    answerWith: (choice: string) => `Answer “${choice}”`,
  },

  approval: {
    what: 'A run waits for something that it may not do, or does not have.',
    tryAgain: 'Try again',
    hint: 'When you have granted or added what is missing.',
  },

  setAside: {
    what: (topic: string) =>
      `This event of “${topic}” failed too often and was set aside, so that those after it can go on.`,
    rerun: 'Run again',
    hint: 'It is tried as a new attempt.',
  },

  incident: {
    acknowledge: 'Acknowledge',
    afterwards: 'Decided afterwards',
    noCall: 'No act on the outside',
    sent: 'What was sent',
    result: 'What came back',
  },
  stopped: {
    what: 'This workflow stopped itself.',
    resume: 'Resume',
    hint: 'When you have mended what was wrong. It goes on where it stopped.',
  },

  workflows: {
    title: 'Workflows',
    add: 'Add workflow',
    emptyTitle: 'No workflows yet',
    emptyHint:
      'A workflow is a file that acts on the outside world for you. Holdfast runs it, keeps a record of all it did, and never does a thing twice or loses one.',
    practise: 'Practise',
    practiseHint:
      'See first, without risk, what happens when an answer is lost: a sample on this machine leaves one thing for you to settle.',
    stepWrite: 'Or write a file of your own, for example',
    stepAdd: 'Add it:',
    stepAddHow: 'in a terminal, or here:',
    noScript: 'It has no script yet. Add its file to make it run.',
    runs: 'Runs',
    runsOf: (name: string) => `Runs of ${name}`,
    sessions: 'Sessions',
    sessionsOf: (name: string) => `Sessions of ${name}`,
    waiting: (questions: number) =>
      counted(questions, 'thing waits for you', 'things wait for you'),
    draft: 'A changed version is ready.',
    activate: 'Activate',
    activating: 'Activating…',
    pause: 'Pause',
    pausing: 'Pausing…',
    resume: 'Resume',
    resuming: 'Resuming…',
    runNow: 'Run now',
    runningNow: 'Asking…',
    asked: 'Asked for. Its run appears under Runs.',
    /** Follows what the button says, for those who hear it out of its row. */
    of: (name: string) => ` ${name}`,
    every: (interval: string) => `every ${interval}`,
    cron: (cron: string, timezone: string | undefined) =>
      timezone === undefined ? cron : `${cron} (${timezone})`,
    next: 'Next run',
    due: 'due now',
    soon: 'in less than a minute',
    notScheduled: 'not scheduled',
    whenResumed: 'when resumed',
    topics: 'Pending events',
    pending: (pending: number) => (pending >= 1000 ? `${count(pending)}+` : count(pending)),
    more: 'Show more',
    loading: 'Loading workflows',
  },

  addWorkflow: {
    title: 'Add workflow',
    path: 'File',
    pathHint:
      'The full path of a .ts or .js file on the host’s machine. Added again after a change, it becomes a version that you can activate.',
    pathPlaceholder: '/home/you/workflows/invoices.ts',
    submit: 'Add workflow',
    submitting: 'Adding…',
    problems: 'The file was not added. Mend this, then add it again:',
    warnings: 'It was added, with something to know:',
    done: 'Done',
  },

  runs: {
    title: 'Runs',
    emptyTitle: 'No runs yet',
    emptyHint:
      'A run is one attempt of one handler of a workflow. When a workflow does something, it appears here at once.',
    toWorkflows: 'Go to workflows',
    noMatchTitle: 'No run matches',
    noMatchHint:
      'No run has all that you look for. Take a filter away, or wait: new runs appear here by themselves.',
    find: 'Find by title, workflow or id',
    clearSearch: 'Clear the search',
    filterState: 'State',
    allStates: 'All',
    filterDevice: 'Device',
    allDevices: 'All devices',
    clearFilters: 'Show all runs',
    filterWorkflow: 'Workflow',
    allWorkflows: 'All workflows',
    ofSession: (shortId: string) => `Session ${shortId}`,
    clearSession: 'Runs of all sessions',
    phase: 'Phase',
    what: 'What',
    workflow: 'Workflow',
    effect: 'Effect',
    noEffect: 'None',
    effectOf: 'Effect:',
    started: 'Started',
    duration: 'Duration',
    retry: 'Retry',
    loading: 'Loading runs',
    loaded: (loaded: number, complete: boolean) =>
      complete ? counted(loaded, 'run', 'runs') : `${count(loaded)} loaded, more below`,
    waiting: (waiting: number, more: boolean) =>
      more ? `${count(waiting)}+ new runs` : counted(waiting, 'new run', 'new runs'),
  },

  bulk: {
    label: 'Chosen runs',
    column: 'Chosen',
    choose: (title: string) => `Choose ${title}`,
    chooseFocused: 'Choose the row, or not',
    chooseAll: (shown: number) => `Choose all ${counted(shown, 'run', 'runs')} that are loaded`,
    chosen: (chosen: number) => `${count(chosen)} chosen`,
    clear: 'Choose none',
    acts: { rerun: 'Run again', cancel: 'Cancel', skip: 'Skip' },
    ofChosen: (act: string, chosen: number) => `${act}: ${counted(chosen, 'run', 'runs')}`,
    warnings: {
      rerun:
        'The events of these runs are worked on once more, on purpose: each is a new attempt with a new effect. What the runs before did is not undone, and will be done again.',
      cancel:
        'Runs that have not sent anything yet end, and their events are skipped. Runs past that point stay as they are.',
      skip: 'Runs whose outcome is unknown are given up: their workflows go on without them, nothing is sent, and the outcomes stay unknown for good.',
    },
    submit: (act: 'rerun' | 'cancel' | 'skip', chosen: number) =>
      `${{ rerun: 'Run again', cancel: 'Cancel', skip: 'Skip' }[act]} ${counted(chosen, 'run', 'runs')}`,
    progress: (seen: number, all: number) => `${count(seen)} of ${count(all)}…`,
    result: (act: 'rerun' | 'cancel' | 'skip', done: number, unfit: number) => {
      const said = {
        rerun: `${counted(done, 'run', 'runs')} will be done again.`,
        cancel: `${counted(done, 'run is', 'runs are')} being canceled.`,
        skip: `${counted(done, 'run was', 'runs were')} skipped.`,
      }[act];
      return unfit === 0 ? said : `${said} For ${count(unfit)} there was nothing to do.`;
    },
  },

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

  run: {
    back: 'Runs',
    notFoundTitle: 'There is no such run',
    notFoundHint:
      'This host knows no run with this id. It may be on another device that has not synced yet.',
    loading: 'Loading the run',
    question: 'It asks you something.',
    toInbox: 'Settle it in the inbox',
    toAnswer: 'Answer in the inbox',
    phases: 'Phases',
    waited: 'waited',
    soFar: 'so far',
    effect: 'Effect',
    noEffect: 'This run has no effect on the outside.',
    noEffectYet: 'Nothing was sent so far.',
    call: 'Call',
    effectId: 'Effect id',
    error: 'What was said',
    reconciled: 'Checked',
    reconciledTimes: (attempts: number, nextAt: string | null) =>
      nextAt === null
        ? counted(attempts, 'time', 'times')
        : `${counted(attempts, 'time', 'times')}, next ${nextAt}`,
    look: 'Look by hand',
    params: 'Parameters',
    result: 'Result',
    decisions: 'Decisions',
    on: (device: string) => `on device ${device}`,
    eventsIn: 'Events in',
    eventsOut: 'Events out',
    noEventsIn: 'It took no events.',
    noEventsOut: 'It published nothing.',
    payload: 'Payload',
    payloadOf: (title: string) => `Payload of ${title}`,
    attempt: (attempt: number) => `Attempt ${count(attempt)}`,
    rerun: 'Run again…',
    state: 'State',
    before: 'Before',
    after: 'After',
    unchanged: 'Unchanged.',
    noState: 'There is no state.',
    stateLater: 'What it becomes is known when the run is done.',
    stateKept: 'It failed: the state stays as it was.',
    wholeState: 'The whole state',
    wholeValue: 'All of it',
    changeWords: { added: 'Added:', removed: 'Removed:', replaced: 'Changed:' },
    moreChanges: (more: number) => `and ${counted(more, 'more change', 'more changes')}`,
    history: 'History',
    noHistory: 'Nothing out of the ordinary happened.',
    chain: 'Tries',
    tryNumber: (number: number) => `Try ${count(number)}`,
    thisTry: (number: number) => `Try ${count(number)}: this run`,
    findInLog: 'Find in the log',
    notInLog: 'No line has these words.',
    lines: (found: number, all: number) =>
      found === all
        ? counted(all, 'line', 'lines')
        : `${count(found)} of ${counted(all, 'line', 'lines')}`,
    copyAll: 'this run',
    log: 'Log',
    noLog: 'Nothing was written to the console.',
    details: 'Details',
    workflow: 'Workflow',
    session: 'Session',
    device: 'Device',
    started: 'Started',
    ended: 'Ended',
    stillRunning: 'Not yet',
    duration: 'Duration',
    id: 'Run',
    kind: 'Failure',
    runOf: (shortId: string) => `run ${shortId}`,
    retryOf: 'Retry of',
    retriedBy: 'Tried again as',
    cancel: 'Cancel run',
    canceling: 'Canceling…',
  },

  json: {
    all: (size: string) => `Show all, ${size}`,
    less: 'Show less',
  },

  rerun: {
    title: 'Run this event again?',
    edit: 'Change its input first',
    input: 'Input',
    inputHint: 'As JSON. The event keeps it, also for later runs.',
    inputProblem: 'This is not JSON. Mend it; nothing was asked for.',
    warning:
      'On purpose once more: it is a new attempt with a new effect. What the run before did is not undone, and will be done again.',
    submit: 'Run again',
    submitting: 'Asking…',
  },

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

  devices: devicesText,
  pairing: pairingText,
  runScript: runScriptText,
  settings: settingsText,

  errors: {
    unreachable:
      'The host does not answer. Trying again is safe: the same request counts only once.',
    unreadable:
      'The host answered in a way this page does not understand. They may be of different versions: load the page again.',
  },
} as const;
