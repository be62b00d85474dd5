// Runs: the list, one run, and reruns.
import type { ErrorType, HandlerType } from '#shared/machines/handler-run.ts';
import { count, counted, rowCounts } from '#renderer/text/numbers.ts';

const HISTORY_LABELS: Readonly<Record<string, string>> = {
  'run.failed': 'Run failed',
  'run.suspended': 'Run suspended',
  'effect.indeterminate': 'Outcome unknown',
  'effect.resolved': 'Settled',
  'schedule.missed': 'Scheduled runs missed',
};

/** Unknown types, for example from a newer device, are shown as they are. */
export const historyLabel = (type: string): string =>
  (Object.hasOwn(HISTORY_LABELS, type) ? HISTORY_LABELS[type] : undefined) ?? type;

export const ERROR_TYPE_LABELS: Readonly<Record<ErrorType, string>> = {
  auth: 'Authentication',
  permission: 'Permission',
  network: 'Network',
  logic: 'Workflow code',
  internal: 'Holdfast',
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
      'A run is one execution of one handler of a workflow. Runs appear here as workflows work.',
    toWorkflows: 'Go to workflows',
    noMatchTitle: 'No runs match',
    noMatchHint: 'Remove a filter to see more. New runs appear automatically.',
    find: 'Search title, workflow or id',
    clearSearch: 'Clear search',
    filterState: 'State',
    allStates: 'All',
    filterDevice: 'Device',
    allDevices: 'All devices',
    clearFilters: 'Show all runs',
    filterWorkflow: 'Workflow',
    allWorkflows: 'All workflows',
    ofSession: (shortId: string) => `Session ${shortId}`,
    clearSession: 'Show all sessions',
    phase: 'Phase',
    what: 'Title',
    workflow: 'Workflow',
    effect: 'Effect',
    noEffect: 'None',
    effectOf: 'Effect:',
    started: 'Started',
    duration: 'Duration',
    retry: 'Retry',
    loading: 'Loading runs',
    ...rowCounts('run', 'runs'),
  },

  bulk: {
    label: 'Selected runs',
    column: 'Selected',
    choose: (title: string) => `Select ${title}`,
    chooseFocused: 'Toggle row selection',
    chooseAll: (shown: number) => `Select all ${counted(shown, 'loaded run', 'loaded runs')}`,
    chosen: (chosen: number) => `${count(chosen)} selected`,
    clear: 'Clear selection',
    acts: { rerun: 'Rerun', cancel: 'Cancel', skip: 'Skip' },
    ofChosen: (act: string, chosen: number) => `${act} ${counted(chosen, 'run', 'runs')}`,
    warnings: {
      rerun:
        'Processes the events of these runs again, each as a new attempt with a new effect. Earlier effects aren’t undone, so they happen again.',
      cancel:
        'Stops runs before their effect. Their events wait again, and new runs take them. To drop one, skip its input. Other runs stay as they are.',
      skip: 'Gives up on runs with an unknown outcome. Their workflows continue without them. Nothing is sent, and the outcomes stay unknown.',
    },
    submit: (act: 'rerun' | 'cancel' | 'skip', chosen: number) =>
      `${{ rerun: 'Rerun', cancel: 'Cancel', skip: 'Skip' }[act]} ${counted(chosen, 'run', 'runs')}`,
    progress: (seen: number, all: number) => `${count(seen)} of ${count(all)}…`,
    result: (act: 'rerun' | 'cancel' | 'skip', done: number, unfit: number) => {
      const said = {
        rerun: `Rerunning ${counted(done, 'run', 'runs')}.`,
        cancel: `Canceling ${counted(done, 'run', 'runs')}.`,
        skip: `Skipped ${counted(done, 'run', 'runs')}.`,
      }[act];
      return unfit === 0 ? said : `${said} Nothing to do for ${count(unfit)}.`;
    },
  },

  run: {
    back: 'Runs',
    notFoundTitle: 'Run not found',
    notFoundHint:
      'This host has no run with this id. It may be on a device that hasn’t synced yet, or archived.',
    loading: 'Loading the run',
    question: 'This run has a question for you.',
    toInbox: 'Settle in the inbox',
    toAnswer: 'Answer in the inbox',
    phases: 'Phases',
    waited: 'waited',
    soFar: 'so far',
    effect: 'Effect',
    noEffect: 'This run has no effect.',
    noEffectYet: 'Nothing sent yet.',
    call: 'Call',
    effectId: 'Effect id',
    cost: 'Cost',
    error: 'Error',
    reconciled: 'Checked',
    reconciledTimes: (attempts: number, nextAt: string | null) =>
      nextAt === null
        ? counted(attempts, 'time', 'times')
        : `${counted(attempts, 'time', 'times')}, next ${nextAt}`,
    look: 'How to check',
    params: 'Parameters',
    result: 'Result',
    decisions: 'Decisions',
    on: (device: string) => `on device ${device}`,
    eventsIn: 'Events in',
    eventsOut: 'Events out',
    noEventsIn: 'No events were processed.',
    noEventsOut: 'No events were published.',
    payload: 'Payload',
    payloadOf: (title: string) => `Payload of ${title}`,
    attempt: (attempt: number) => `Attempt ${count(attempt)}`,
    rerun: 'Rerun…',
    state: 'State',
    before: 'Before',
    after: 'After',
    unchanged: 'Unchanged.',
    noState: 'No state.',
    stateLater: 'The new state appears when the run ends.',
    stateKept: 'The run failed, so the state didn’t change.',
    wholeState: 'Full state',
    wholeValue: 'Whole state',
    changeWords: { added: 'Added:', removed: 'Removed:', replaced: 'Changed:' },
    moreChanges: (more: number) => `and ${counted(more, 'more change', 'more changes')}`,
    history: 'History',
    noHistory: 'No entries.',
    chain: 'Attempts',
    tryNumber: (number: number) => `Attempt ${count(number)}`,
    thisTry: (number: number) => `Attempt ${count(number)} (this run)`,
    findInLog: 'Search the log',
    notInLog: 'No lines match.',
    lines: (found: number, all: number) =>
      found === all
        ? counted(all, 'line', 'lines')
        : `${count(found)} of ${counted(all, 'line', 'lines')}`,
    copyAll: 'this run',
    log: 'Log',
    noLog: 'No output.',
    details: 'Details',
    workflow: 'Workflow',
    session: 'Session',
    inputs: 'Inputs',
    device: 'Device',
    started: 'Started',
    ended: 'Ended',
    stillRunning: 'Not yet',
    duration: 'Duration',
    id: 'Run',
    kind: 'Failure',
    runOf: (shortId: string) => `run ${shortId}`,
    retryOf: 'Retry of',
    retriedBy: 'Retried as',
    cancel: 'Cancel run…',
    cancelTitle: 'Cancel this run?',
    cancelWarning: (events: number) =>
      events === 0
        ? 'Stops this run before its effect.'
        : `Stops this run before its effect. ${
            events === 1
              ? 'Its event waits again, and a new run takes it. To drop it, skip its input.'
              : `Its ${count(events)} events wait again, and a new run takes them. To drop one, skip its input.`
          }`,
    cancelSubmit: 'Cancel run',
    canceling: 'Canceling…',
  },

  rerun: {
    title: 'Rerun this event?',
    edit: 'Edit the payload first',
    input: 'Payload',
    inputHint: 'JSON. Replaces the event’s payload, also for later runs.',
    inputProblem: 'Invalid JSON. Fix it first. Nothing was rerun.',
    warning:
      'Processes the event again as a new attempt with a new effect. The earlier effect isn’t undone, so it happens again.',
    submit: 'Rerun',
    submitting: 'Requesting…',
  },
} as const;
