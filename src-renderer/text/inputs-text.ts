// Inputs and hooks.
import type { HookView } from '#shared/api/inputs.ts';
import type { DedupRule } from '#shared/inputs/dedup-key.ts';
import type { InputKind, OutboxKind, StopAs } from '#shared/inputs/kinds.ts';
import type { Stage } from '#shared/machines/automation-run.ts';
import { count, counted } from '#renderer/text/numbers.ts';

export const INPUT_KIND_LABELS: Readonly<Record<InputKind, string>> = {
  webhook: 'Webhook',
  schedule: 'Schedule',
  manual: 'By hand',
  producer: 'Producer',
};

export const STAGE_LABELS: Readonly<Record<Stage, string>> = {
  enrich: 'while it was read',
  execute: 'while it was worked on',
  finalize: 'while it came to its end',
};

export const OUTBOX_KIND_LABELS: Readonly<Record<OutboxKind, string>> = {
  enqueue_enrich: 'Read what came in',
  enqueue_execute: 'Begin the work',
  write_completion: 'Keep the result as a file',
};

const STOPPING_SENTENCES: Readonly<Record<StopAs, string>> = {
  skipped: 'It is being skipped: what has acted already is finished first.',
  canceled: 'It is being canceled: what has acted already is finished first.',
  timed_out: 'Its time is over: what has acted already is finished first.',
};

export const WEBHOOK_AUTHS = ['bearer', 'github', 'stripe'] as const;
export type WebhookAuthKind = HookView['auth']['kind'];

export const WEBHOOK_AUTH_LABELS: Readonly<Record<WebhookAuthKind, string>> = {
  bearer: 'Bearer token',
  github: 'Signature, as GitHub sends it',
  stripe: 'Signature, as Stripe sends it',
};

export const DEDUP_LABELS: Readonly<Record<DedupRule['by'], string>> = {
  body: 'The same bytes',
  header: 'The same header',
  path: 'The same field of the body',
};

export function dedupSentence(rule: DedupRule): string {
  if (rule.by === 'header') return `Two with the same header “${rule.name}” are one.`;
  if (rule.by === 'path') return `Two with the same “${rule.path}” are one.`;
  return 'Two with the same bytes are one.';
}

export const inputsText = {
  name: 'Inputs',

  list: {
    title: 'Inputs',
    emptyTitle: 'Nothing came in yet',
    emptyHint:
      'What comes in by webhook, schedule, producer or by hand is one row here, with what became of it. Make a hook, or start a workflow by hand.',
    noMatchTitle: 'No input matches',
    noMatchHint:
      'No input has all that you look for. Take a filter away, or wait: new ones appear here by themselves.',
    clearFilters: 'Show all inputs',
    find: 'Find by title, type, source or id',
    clearSearch: 'Clear the search',
    filterKind: 'Source',
    allKinds: 'All sources',
    filterStatus: 'State',
    allStatuses: 'All states',
    from: (source: string) => `From ${source}`,
    clearSource: 'From everywhere',
    status: 'State',
    what: 'What',
    source: 'Source',
    workflow: 'Workflow',
    received: 'Came in',
    duration: 'Duration',
    loading: 'Loading inputs',
    searching: 'Looking through older inputs',
    loaded: (loaded: number, complete: boolean) =>
      complete ? counted(loaded, 'input', 'inputs') : `${count(loaded)} loaded, more below`,
    waiting: (waiting: number, more: boolean) =>
      more ? `${count(waiting)}+ new inputs` : counted(waiting, 'new input', 'new inputs'),
    dead: (rows: number) =>
      `${counted(rows, 'piece of work', 'pieces of work')} failed too often and ${rows === 1 ? 'waits' : 'wait'} for you:`,
    moreDead: (more: number) => `and ${count(more)} more`,
  },

  one: {
    back: 'Inputs',
    loading: 'Loading the input',
    notFoundTitle: 'There is no such input',
    notFoundHint:
      'This host knows no input with this id. It may be on another device that has not synced yet, or was removed when its time was over.',
    copyAll: 'the whole story',
    stopping: (as: StopAs, reason: string) =>
      reason === '' ? STOPPING_SENTENCES[as] : `${STOPPING_SENTENCES[as]} ${reason}`,
    failedIn: (stage: Stage, reason: string) => `It failed ${STAGE_LABELS[stage]}. ${reason}`,
    timedOutIn: (stage: Stage, reason: string) =>
      `Its time was over ${STAGE_LABELS[stage]}. ${reason}`,
    needsYou: 'Something that followed from it waits for you.',
    toInbox: 'Settle it in the inbox',
    settled: (reason: string) => `A person settled it by hand: ${reason}`,
    ended: (reason: string) => `Why: ${reason}`,
    came: 'What came in',
    payload: 'Payload',
    payloadHint: 'As workflows get it: secrets are taken out.',
    noPayload: 'It came without a payload.',
    notReadYet: 'It was not read yet.',
    redacted: 'Taken out',
    redactedHint: 'By path and reason. Workflows do not get the values, and they are not shown.',
    nothingRedacted: 'Nothing had to be taken out.',
    ledger: 'What was received',
    ledgerLine: (type: string, id: string, size: string) => `${type} · ${id} · ${size}`,
    story: 'What followed',
    noStory: 'Nothing followed yet.',
    noStoryEnded: 'Nothing followed from it.',
    moreSteps: 'There is more than is told here. See the runs of the workflow.',
    followsFrom: (title: string) => `Follows from ${title}.`,
    event: 'Event',
    run: 'Run',
    effect: 'Effect:',
    log: 'What its log says',
    result: 'Result',
    resultHint: 'What the workflow said when it was done.',
    sideEffects: 'Effects on the outside',
    sideEffectAnswer: (kind: string) => `Answer to ${kind}`,
    answer: 'Answer',
    stages: 'Stages',
    received: 'Came in',
    read: 'Read',
    begun: 'Begun',
    firstEvent: 'First event',
    end: 'Ended',
    altogether: 'Altogether',
    notYet: 'Not yet',
    deadline: 'Deadline',
    details: 'Details',
    workflow: 'Workflow',
    source: 'Source',
    type: 'Type',
    externalId: 'Id outside',
    size: 'Size',
    device: 'Device',
    session: 'Session',
    correlation: 'Correlation',
    dedup: 'Dedup key',
    id: 'Id',
    runId: 'Run id',
    history: 'History',
    by: (actor: string) => `by ${actor}`,
    dead: 'Work that stands still',
    deadHint:
      'It failed too often, and what comes after it waits. Mend what it names, then try it again.',
    tries: (attempts: number) => counted(attempts, 'try', 'tries'),
    replay: 'Try again',
    replaying: 'Trying…',
    replayed: 'It is tried again, from its first try.',
  },

  stop: {
    skip: 'Skip…',
    cancel: 'Cancel…',
    titles: { skipped: 'Skip this input', canceled: 'Cancel this input' },
    warning:
      'Events that wait are let go of, and runs that have not acted yet are stopped. What has acted already is finished, and nothing is undone.',
    reason: 'Why (optional)',
    submits: { skipped: 'Skip it', canceled: 'Cancel it' },
    done: {
      skipped: 'It is skipped, or will be when what has acted is finished.',
      canceled: 'It is canceled, or will be when what has acted is finished.',
    },
    waiting: 'The device that runs the workflow does it when it hears of it.',
  },

  settle: {
    open: 'Settle by hand…',
    title: 'Settle this input by hand',
    hint: 'You say how it ended. Nothing is sent or undone; what happened first stays in the history.',
    as: 'It ended',
    words: { succeeded: 'Well: it is done', failed: 'Badly: it failed' },
    reason: 'Why',
    reasonHint: 'Stands in the history, for whoever asks later.',
    reasonProblem: 'Say why.',
    submit: 'Settle it',
    done: 'It is settled.',
  },

  start: {
    open: 'Start by hand',
    title: 'Start by hand',
    hint: 'One input, as if it had come from outside. What follows from it acts for real.',
    workflow: 'Workflow',
    workflowProblem: 'Choose a workflow.',
    topic: 'Topic',
    anyTopic: 'The only one that can be meant',
    name: 'Title (optional)',
    payload: 'Payload (JSON)',
    payloadHint: 'Empty is null.',
    payloadProblem: 'This is not JSON.',
    submit: 'Start',
    submitting: 'Starting…',
    started: 'It has begun.',
  },

  blocked: {
    paused: (workflow: string) => `“${workflow}” is paused: this goes on when it is resumed.`,
    waits: (workflow: string) =>
      `“${workflow}” stands still until something else of it is settled in the inbox. This goes on then.`,
    toWorkflow: 'Open the workflow',
  },

  webhooks: {
    title: 'Hooks',
    hint: 'A hook is an address on this device to which others send inputs by webhook. Each proves itself by a secret.',
    loading: 'Loading hooks',
    emptyTitle: 'No hooks yet',
    emptyHint:
      'Make one, and give its address and secret to whoever shall send. Every request that proves itself becomes an input.',
    create: 'New hook',
    createTitle: 'New hook',
    name: 'Name',
    nameHint: 'Inputs that come by it have it as their source.',
    nameProblem: 'Give it a name.',
    auth: 'How a sender proves itself',
    dedup: 'What makes two requests one input',
    header: 'Header',
    headerHint: 'Such as X-GitHub-Delivery.',
    path: 'Field of the body',
    pathHint: 'Such as data.id.',
    more: 'More',
    redact: 'Take out, too (optional)',
    redactHint:
      'One path a line, such as customer.iban or items.*.note. Secrets are taken out by themselves.',
    secret: 'Secret (optional)',
    secretHint: 'Where the sender gives one, of 16 characters or more. Else it is made here.',
    submit: 'Make the hook',
    submitting: 'Making…',
    made: (name: string) => `The hook “${name}” is there`,
    secretOnce: 'Copy the secret now: it is shown this once.',
    secretLabel: 'Secret',
    address: 'Address',
    addressElsewhere: 'Below the address of the host, which “holdfast serve” prints.',
    tryIt: 'Try it',
    command: 'Command',
    tryHint: 'In a terminal on this machine:',
    tryHintSecret: 'In a terminal on this machine, with the secret in place of SECRET:',
    copyOf: (what: string) => `Copy ${what.toLowerCase()}`,
    copied: 'Copied',
    done: 'Done',
    takes: (workflow: string, topic: string) => `${workflow} · ${topic}`,
    accepted: (accepted: number) => counted(accepted, 'input', 'inputs'),
    never: 'Nothing came by it yet',
    proof: 'Proof',
    oneInput: 'One input',
    last: 'Last',
    rotated: 'Secret changed',
    oldUntil: 'Old secret taken until',
    redacts: 'Takes out',
    rotate: 'New secret…',
    rotateTitle: (name: string) => `New secret for “${name}”`,
    rotateWarning: 'Whoever sends with the old secret is refused once its time is over.',
    overlap: 'The old one is taken',
    overlaps: { '0': 'No longer', '3600000': 'For one hour', '86400000': 'For one day' },
    rotateSubmit: 'Make a new secret',
    rotatedTitle: (name: string) => `“${name}” has a new secret`,
    remove: 'Remove…',
    removeTitle: (name: string) => `Remove the hook “${name}”`,
    removeWarning:
      'Whoever sends to its address is refused from now on, and the address never comes back. What came by it stays.',
    removeSubmit: 'Remove the hook',
    removed: (name: string) => `The hook “${name}” is removed. What came by it stays.`,
  },
} as const;
