// Runs: the list, one run, and running an event again.
import type { ErrorType, HandlerType } from '#shared/machines/handler-run.ts';
import { count, counted } from '#renderer/text/numbers.ts';

const HISTORY_LABELS: Readonly<Record<string, string>> = {
  'run.failed': 'It failed',
  'run.suspended': 'It came to a stand',
  'effect.indeterminate': 'The outcome became unknown',
  'effect.resolved': 'A person decided',
  'schedule.missed': 'Times of its schedule were missed',
};

/** What this version does not know is told by its own name. */
export const historyLabel = (type: string): string =>
  (Object.hasOwn(HISTORY_LABELS, type) ? HISTORY_LABELS[type] : undefined) ?? type;

export const ERROR_TYPE_LABELS: Readonly<Record<ErrorType, string>> = {
  auth: 'Not signed in',
  permission: 'Not permitted',
  network: 'Outside not reached',
  logic: 'In the script',
  internal: 'In Holdfast',
};

export const HANDLER_TYPE_LABELS: Readonly<Record<HandlerType, string>> = {
  producer: 'Producer',
  consumer: 'Consumer',
};

export const runsText = {
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
} as const;
