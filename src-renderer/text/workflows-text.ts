// Workflows: the list, one workflow, its versions.
import { editorText } from '#renderer/text/editor-text.ts';
import { graphText } from '#renderer/text/graph-text.ts';
import { count, counted, list } from '#renderer/text/numbers.ts';
import { ownershipText } from '#renderer/text/ownership-text.ts';
import { RECENT_RUN_LABELS, type RecentRunKind } from '#renderer/text/status-labels.ts';
import type { WorkflowTab } from '#renderer/navigation/workflow-route.ts';

export const TAB_LABELS: Readonly<Record<WorkflowTab, string>> = {
  overview: 'Overview',
  graph: 'Graph',
  versions: 'Versions',
  edit: 'Edit',
};

export const workflowsText = {
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
} as const;

export const workflowText = {
  /** One of several of the same name. */
  among: (name: string, more: string) => `${name} · ${more}`,
  card: {
    failing: (handlers: readonly string[]) => `The last run of ${list.format(handlers)} failed.`,
    recent: (counts: readonly (readonly [kind: RecentRunKind, runs: number])[]) =>
      `Last runs: ${list.format(counts.map(([kind, runs]) => `${count(runs)} ${RECENT_RUN_LABELS[kind]}`))}.`,
    noRuns: 'No runs yet',
    owner: 'Runs on',
    thisDevice: 'this device',
    nobody: 'no device',
    unsaved: 'Unsaved changes',
    open: (name: string) => `Open ${name}`,
  },

  schedule: {
    every: (amount: number, unit: string) =>
      amount === 1 ? `Every ${unit}` : `Every ${count(amount)} ${unit}s`,
    inZone: (words: string, timezone: string) => `${words} (${timezone})`,
  },

  page: {
    back: 'Workflows',
    loading: 'Loading the workflow',
    notFoundTitle: 'There is no such workflow',
    notFoundHint:
      'This host knows no workflow with this id. It may be on another device that has not synced yet.',
    tabs: 'Parts of this workflow',
    runs: 'Runs',
    pause: 'Pause…',
    pauseTitle: 'Pause this workflow',
    pauseHint:
      'What is at work comes to its next safe place. Then nothing runs until somebody resumes it; what comes in meanwhile waits.',
    reason: 'Why',
    reasonHint: 'Optional. Shown wherever the workflow is.',
    pauseSubmit: 'Pause',
    state: 'State',
    schedule: 'Schedule',
    noProducers: 'It does nothing by itself: it waits for events.',
    topics: 'Topics',
    lastRuns: 'Last runs',
    noScript: 'It has no script yet.',
    file: 'File',
    fileElsewhere: 'Not on this device',
    version: 'Versions',
    allVersions: 'See all',
    draft: 'A changed version is ready',
    seeDraft: 'See what changed',
    name: 'Name',
    created: 'Added',
  },

  versions: {
    loading: 'Loading versions',
    list: 'Versions',
    active: 'Active',
    draft: 'Draft',
    none: 'No version yet',
    noneHint: 'When its file is added, its first version appears here.',
    read: (device: string) => `read on ${device}`,
    activated: 'Activated',
    activatedOn: (device: string) => `asked for on ${device}`,
    compare: 'Compared with',
    first: 'The first version: there is nothing to compare it with.',
    same: 'This is the same version.',
    diff: (version: string, other: string) => `What changed from ${other} to ${version}`,
    changes: 'Changes',
    try: 'Try',
    view: 'Show',
    activate: 'Activate',
    activating: 'Activating…',
    activateHint: 'Runs that begin from now on use it. It may use what it says that it uses.',
    overtaken:
      'Another version was activated after this draft was begun. Save the file again to begin a new draft.',
    problems: 'The file as it is now is not a workflow that can run. The active version runs on.',
    edit: 'Open in the editor',
    more: 'Show more',
    waiting: 'It waits for the device that runs the workflow.',
  },

  ...ownershipText,
  ...graphText,
  ...editorText,
} as const;
