// Workflows: the list, one workflow, its versions.
import { durationInWords, type NeedsHuman } from '#shared/inputs/needs-human.ts';
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
      'A workflow is a file that acts on the outside world for you. Holdfast runs it, records every effect, and never repeats or loses one.',
    practise: 'Try the sample',
    practiseHint:
      'See what happens when a reply gets lost, without risk. The sample runs on this machine and leaves one outcome for you to settle.',
    stepWrite: 'Or write your own file, for example',
    stepAdd: 'Add it:',
    stepAddHow: 'in a terminal, or here:',
    noScript: 'No version yet. Add its file to run it.',
    runs: 'Runs',
    sessions: 'Sessions',
    waiting: (questions: number) => counted(questions, 'item needs you', 'items need you'),
    draft: 'New version ready to activate',
    activate: 'Activate',
    activateAnyway: 'Activate anyway',
    activating: 'Activating…',
    pause: 'Pause',
    pausing: 'Pausing…',
    resume: 'Resume',
    resuming: 'Resuming…',
    runNow: 'Run now',
    runningNow: 'Starting…',
    asked: 'Requested. The run appears under Runs.',
    /** Hidden text after a button's label, for screen readers. */
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
      'Full path of a .ts or .js file on the host’s machine. Add it again after a change to create a new version.',
    pathPlaceholder: '/home/you/workflows/invoices.ts',
    submit: 'Add workflow',
    submitting: 'Adding…',
    link: 'Link the file to that workflow',
    problems: 'Not added. Fix these problems and try again:',
    warnings: 'Added with warnings:',
    done: 'Done',
  },
} as const;

export const workflowText = {
  /** Disambiguates workflows with the same name. */
  among: (name: string, more: string) => `${name} · ${more}`,
  card: {
    failing: (handlers: readonly string[]) => `The last run of ${list.format(handlers)} failed.`,
    recent: (counts: readonly (readonly [kind: RecentRunKind, runs: number])[]) =>
      `Recent runs: ${list.format(counts.map(([kind, runs]) => `${count(runs)} ${RECENT_RUN_LABELS[kind]}`))}.`,
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
    notFoundTitle: 'Workflow not found',
    notFoundHint:
      'This host has no workflow with this id. It may be on a device that hasn’t synced yet.',
    tabs: 'Workflow sections',
    runs: 'Runs',
    pause: 'Pause…',
    pauseTitle: 'Pause this workflow?',
    pauseHint:
      'Current runs stop at the next safe point. Nothing runs until you resume. New inputs wait.',
    reason: 'Reason',
    reasonHint: 'Optional. Shown on the workflow.',
    pauseSubmit: 'Pause',
    schedule: 'Schedule',
    noProducers: 'No schedule. This workflow waits for events.',
    topics: 'Topics',
    lastRuns: 'Recent runs',
    noScript: 'No version yet.',
    file: 'File',
    fileElsewhere: 'Not on this device',
    version: 'Versions',
    allVersions: 'View all',
    seeDraft: 'View changes',
    completes: 'Inputs succeed',
    completesBy: {
      drained: 'When all of their work is done',
      explicit: 'When the workflow calls ctx.complete',
    },
    needsHuman: 'Inputs wait for you',
    waits: ({ within, otherwise }: NeedsHuman) =>
      `${durationInWords(within)}, then they ${otherwise === 'failed' ? 'fail' : 'time out'}`,
    created: 'Added',
    costToday: 'Cost today',
    costTotal: 'Cost, all runs',
    costTotalHint: 'Of the runs in the history. Archived runs are not counted.',
  },

  versions: {
    loading: 'Loading versions',
    list: 'Versions',
    active: 'Active',
    draft: 'Draft',
    none: 'No versions yet',
    noneHint: 'The first version appears when you add the file.',
    read: (device: string) => `read on ${device}`,
    checked: 'Checked',
    activated: 'Activated',
    activatedOn: (device: string) => `requested on ${device}`,
    compare: 'Compared with',
    first: 'This is the first version. There’s nothing to compare it with.',
    diff: (version: string, other: string) => `Changes from ${other} to ${version}`,
    changes: 'Changes',
    try: 'Dry run',
    problems: 'The file has problems. The active version keeps running.',
    edit: 'Open in editor',
    more: 'Show more',
    waiting: 'Waiting for the owner.',
  },

  ...ownershipText,
  ...graphText,
  ...editorText,
} as const;
