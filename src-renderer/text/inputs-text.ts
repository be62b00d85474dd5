// Inputs and hooks.
import type { HookView } from '#shared/api/inputs.ts';
import type { DedupRule } from '#shared/inputs/dedup-key.ts';
import type { InputKind, OutboxKind, StopAs } from '#shared/inputs/kinds.ts';
import type { Stage } from '#shared/machines/automation-run.ts';
import { count, counted, rowCounts } from '#renderer/text/numbers.ts';

export const INPUT_KIND_LABELS: Readonly<Record<InputKind, string>> = {
  webhook: 'Webhook',
  schedule: 'Schedule',
  manual: 'Manual',
  producer: 'Producer',
};

export const STAGE_LABELS: Readonly<Record<Stage, string>> = {
  enrich: 'while enriching',
  execute: 'while running',
  finalize: 'while completing',
};

export const OUTBOX_KIND_LABELS: Readonly<Record<OutboxKind, string>> = {
  enqueue_enrich: 'Enrich the input',
  enqueue_execute: 'Start execution',
  write_completion: 'Write the result file',
};

const STOPPING_SENTENCES: Readonly<Record<StopAs, string>> = {
  skipped: 'Skipping. Runs that already sent an effect finish first.',
  canceled: 'Canceling. Runs that already sent an effect finish first.',
  timed_out: 'Timed out. Runs that already sent an effect finish first.',
  failed: 'Failed. Runs that already sent an effect finish first.',
};

export const WEBHOOK_AUTHS = ['bearer', 'github', 'stripe'] as const;
export type WebhookAuthKind = HookView['auth']['kind'];

export const WEBHOOK_AUTH_LABELS: Readonly<Record<WebhookAuthKind, string>> = {
  bearer: 'Bearer token',
  github: 'GitHub signature',
  stripe: 'Stripe signature',
};

export const DEDUP_LABELS: Readonly<Record<DedupRule['by'], string>> = {
  body: 'Identical body',
  header: 'Same header value',
  path: 'Same body field',
};

export function dedupSentence(rule: DedupRule): string {
  if (rule.by === 'header') return `Deliveries with the same “${rule.name}” header count as one.`;
  if (rule.by === 'path') return `Deliveries with the same “${rule.path}” count as one.`;
  return 'Identical bodies count as one delivery.';
}

export const inputsText = {
  name: 'Inputs',

  list: {
    title: 'Inputs',
    emptyTitle: 'No inputs yet',
    emptyHint:
      'Webhooks, schedules, producers and manual starts appear here with their outcome. Create a hook or start a workflow yourself.',
    noMatchTitle: 'No inputs match',
    noMatchHint: 'Remove a filter to see more. New inputs appear automatically.',
    clearFilters: 'Show all inputs',
    find: 'Search title, type, source or id',
    clearSearch: 'Clear search',
    filterKind: 'Source',
    allKinds: 'All sources',
    filterStatus: 'Status',
    allStatuses: 'All statuses',
    from: (source: string) => `From ${source}`,
    clearSource: 'Show all sources',
    status: 'Status',
    what: 'Title',
    source: 'Source',
    workflow: 'Workflow',
    received: 'Received',
    duration: 'Duration',
    loading: 'Loading inputs',
    searching: 'Searching older inputs',
    ...rowCounts('input', 'inputs'),
    dead: (rows: number) =>
      `${counted(rows, 'stage', 'stages')} failed too often and ${rows === 1 ? 'needs' : 'need'} you:`,
    moreDead: (more: number) => `and ${count(more)} more`,
  },

  one: {
    back: 'Inputs',
    loading: 'Loading the input',
    notFoundTitle: 'Input not found',
    notFoundHint:
      'This host has no input with this id. It may be on a device that hasn’t synced yet, or archived.',
    copyAll: 'this input',
    stopping: (as: StopAs, reason: string) =>
      reason === '' ? STOPPING_SENTENCES[as] : `${STOPPING_SENTENCES[as]} ${reason}`,
    failedIn: (stage: Stage, reason: string) => `Failed ${STAGE_LABELS[stage]}. ${reason}`,
    timedOutIn: (stage: Stage, reason: string) => `Timed out ${STAGE_LABELS[stage]}. ${reason}`,
    needsYou: 'Something this input started needs you.',
    toInbox: 'Settle in the inbox',
    settled: (reason: string) => `You settled this: ${reason}`,
    ended: (reason: string) => `Reason: ${reason}`,
    came: 'Payload',
    payload: 'Payload',
    payloadHint: 'As the workflow sees it, with secrets redacted.',
    noPayload: 'No payload.',
    notReadYet: 'Not enriched yet.',
    redacted: 'Redacted',
    redactedHint: 'Path and reason. Workflows never get these values.',
    nothingRedacted: 'Nothing was redacted.',
    raw: 'Original payload',
    showRaw: 'Show original',
    hideRaw: 'Hide original',
    rawHint: (size: string) =>
      `As it was received, ${size}, secrets included. It’s sealed on this device and nowhere else.`,
    ledger: 'Received parts',
    ledgerLine: (type: string, id: string, size: string) => `${type} · ${id} · ${size}`,
    story: 'Activity',
    noStory: 'No activity yet.',
    noStoryEnded: 'No activity.',
    moreSteps: 'This list is cut off. View the workflow’s runs for the rest.',
    followsFrom: (title: string) => `Follows from ${title}.`,
    event: 'Event',
    run: 'Run',
    effect: 'Effect:',
    log: 'Log',
    result: 'Result',
    resultHint: 'Returned by the workflow.',
    sideEffects: 'Effects',
    sideEffectAnswer: (kind: string) => `Response to ${kind}`,
    alsoFor: 'Also for',
    answer: 'Response',
    stages: 'Stages',
    received: 'Received',
    read: 'Enriched',
    begun: 'Started',
    firstEvent: 'First event',
    end: 'Ended',
    altogether: 'Total',
    notYet: 'Not yet',
    deadline: 'Deadline',
    details: 'Details',
    workflow: 'Workflow',
    source: 'Source',
    type: 'Type',
    externalId: 'External id',
    size: 'Size',
    cost: 'Cost',
    costHint: 'Of all runs that this input led to',
    device: 'Device',
    session: 'Session',
    correlation: 'Correlation',
    dedup: 'Dedup key',
    id: 'Id',
    runId: 'Run id',
    history: 'History',
    by: (actor: string) => `by ${actor}`,
    dead: 'Dead stages',
    deadHint:
      'This stage failed too often, and later stages wait for it. Fix the cause, then retry.',
    tries: (attempts: number) => counted(attempts, 'attempt', 'attempts'),
    replay: 'Retry',
    replaying: 'Retrying…',
    replayed: 'Retrying, with the attempt count reset.',
  },

  artifacts: {
    title: 'Artifacts',
    hint: 'Files made by Holdfast and by runs, or attached by people. Your other devices fetch the content when you open it there.',
    none: 'No artifacts yet.',
    byHoldfast: 'by Holdfast',
    byHandler: (handler: string) => `by ${handler}`,
    byPerson: (device: string) => `attached on ${device}`,
    elsewhere: (device: string) => `on ${device}`,
    open: 'Open',
    opening: 'Opening…',
    close: 'Close',
    save: 'Save',
    saving: 'Saving…',
    subject: (name: string) => `the artifact ${name}`,
    contentOf: (name: string) => `Content of ${name}`,
    binary: 'This is not text. Save it to open it in another program.',
    attach: 'Attach a file',
    attaching: 'Attaching…',
    attached: (name: string) => `Attached ${name}.`,
    badName: (name: string) => `“${name}” can’t be the name of an artifact. Rename the file first.`,
    tooLarge: (name: string, size: string, limit: string) =>
      `${name} has ${size}; an artifact has at most ${limit}. Nothing was attached.`,
  },

  stop: {
    skip: 'Skip…',
    cancel: 'Cancel…',
    titles: { skipped: 'Skip this input?', canceled: 'Cancel this input?' },
    warning:
      'Its waiting events are skipped, and runs that haven’t sent anything stop; events of other inputs in those runs wait for a new run. Runs that already sent an effect finish. Nothing is undone: an input that already sent an effect ends as canceled.',
    reason: 'Reason (optional)',
    submits: { skipped: 'Skip input', canceled: 'Cancel input' },
    done: {
      skipped: 'Skipping. Runs that already sent an effect finish first.',
      canceled: 'Canceling. Runs that already sent an effect finish first.',
    },
    waiting: 'Saved. The owner acts on it when it next syncs.',
  },

  settle: {
    open: 'Settle…',
    title: 'Settle this input',
    hint: 'You decide how it ended. Nothing is sent or undone. The history keeps the original result.',
    as: 'Outcome',
    words: { succeeded: 'Succeeded', failed: 'Failed' },
    reason: 'Reason',
    reasonHint: 'Saved in the history.',
    reasonProblem: 'Enter a reason.',
    submit: 'Settle',
    done: 'Settled.',
  },

  start: {
    open: 'Start manually',
    title: 'Start manually',
    hint: 'Creates an input as if it had come from outside. Its effects are real.',
    workflow: 'Workflow',
    workflowProblem: 'Select a workflow.',
    topic: 'Topic',
    anyTopic: 'Automatic if there’s only one',
    name: 'Title (optional)',
    payload: 'Payload (JSON)',
    payloadHint: 'Empty means null.',
    payloadProblem: 'Invalid JSON. Nothing was started.',
    submit: 'Start',
    submitting: 'Starting…',
    started: 'Started.',
  },

  blocked: {
    paused: (workflow: string) =>
      `“${workflow}” is paused. This input continues when you resume it.`,
    waits: (workflow: string) =>
      `“${workflow}” is waiting for a decision in the inbox. This input continues after that.`,
    toWorkflow: 'View workflow',
  },

  webhooks: {
    title: 'Hooks',
    hint: 'A hook is an address on this device that accepts webhooks. Each has its own secret.',
    loading: 'Loading hooks',
    emptyTitle: 'No hooks yet',
    emptyHint:
      'Create one and give its address and secret to the sender. Every authenticated delivery becomes an input.',
    create: 'New hook',
    createTitle: 'New hook',
    name: 'Name',
    nameHint: 'Shown as the source of its inputs.',
    nameProblem: 'Enter a name.',
    auth: 'Authentication',
    dedup: 'Duplicate detection',
    header: 'Header',
    headerHint: 'For example, X-GitHub-Delivery.',
    path: 'Body field',
    pathHint: 'For example, data.id.',
    more: 'More',
    redact: 'Redact paths (optional)',
    redactHint:
      'One path per line, such as customer.iban or items.*.note. Known secrets are always redacted.',
    secret: 'Secret (optional)',
    secretHint: 'Use the sender’s secret, at least 16 characters. Leave empty to generate one.',
    submit: 'Create hook',
    submitting: 'Creating…',
    made: (name: string) => `Hook “${name}” created`,
    secretOnce: 'Copy the secret now. It’s shown only once.',
    secretLabel: 'Secret',
    address: 'Address',
    addressElsewhere: 'Relative to the host’s address, which “holdfast serve” prints.',
    tryIt: 'Test',
    command: 'Command',
    tryHint: 'Run in a terminal on this machine:',
    tryHintSecret: 'Run in a terminal on this machine, with your secret in place of SECRET:',
    copyOf: (what: string) => `Copy ${what.toLowerCase()}`,
    copied: 'Copied',
    done: 'Done',
    takes: (workflow: string, topic: string) => `${workflow} · ${topic}`,
    accepted: (accepted: number) => counted(accepted, 'input', 'inputs'),
    never: 'No deliveries yet',
    proof: 'Authentication',
    oneInput: 'Duplicates',
    last: 'Last delivery',
    rotated: 'Secret changed',
    oldUntil: 'Old secret valid until',
    redacts: 'Redacts',
    rotate: 'New secret…',
    rotateTitle: (name: string) => `New secret for “${name}”`,
    rotateWarning: 'Deliveries signed with the old secret are refused once it expires.',
    overlap: 'Old secret expires',
    overlaps: { '0': 'Immediately', '3600000': 'In one hour', '86400000': 'In one day' },
    rotateSubmit: 'Create new secret',
    rotatedTitle: (name: string) => `New secret for “${name}” created`,
    remove: 'Remove…',
    removeTitle: (name: string) => `Remove hook “${name}”?`,
    removeWarning:
      'Deliveries to its address are refused from now on, and the address is never reused. Its inputs stay.',
    removeSubmit: 'Remove hook',
    removed: (name: string) => `Removed hook “${name}”. Its inputs stay.`,
  },
} as const;
