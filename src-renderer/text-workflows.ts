// The sentences of the workflow pages and of the editor; text.ts has all others.
import type { IntentView, OpenThere } from '#shared/api/ownership.ts';
import type { Phase } from '#shared/machines/handler-run.ts';
import { count, LOCALE } from '#renderer/text.ts';
import type { WorkflowTab } from '#renderer/workflows/workflow-route.ts';

const list = new Intl.ListFormat(LOCALE, { type: 'conjunction' });
const counted = (value: number, one: string, many: string): string =>
  `${count(value)} ${value === 1 ? one : many}`;

export const TAB_WORDS: Readonly<Record<WorkflowTab, string>> = {
  overview: 'Overview',
  graph: 'Graph',
  versions: 'Versions',
  edit: 'Edit',
};

/** As the marks of last runs tell them apart. */
export const RECENT_WORDS = {
  committed: 'committed',
  failed: 'failed',
  suspended: 'waiting',
  atWork: 'at work',
} as const;
export type RecentKind = keyof typeof RECENT_WORDS;

export function recentKind(phase: Phase): RecentKind {
  return phase === 'committed' || phase === 'failed' || phase === 'suspended' ? phase : 'atWork';
}

export const FATE_WORDS: Readonly<Record<OpenThere['fate'], string>> = {
  starts_over: 'It had sent nothing: it starts over.',
  unknown: 'It may have acted: it becomes a question for you.',
  goes_on: 'It had acted: it is brought to its end.',
  waits: 'It waits for a person, as before.',
};

const WISH_WORDS: Readonly<Record<string, string>> = {
  pause: 'Pause',
  resume: 'Resume',
  run_now: 'Run now',
  cancel: 'Cancel a run',
  rerun: 'Run an event again',
  answer: 'An answer',
  activate: 'Activate a version',
  handover: 'Hand over',
};

export const CLAIM_WORDS: Readonly<Record<'added' | 'handover' | 'takeover', string>> = {
  added: 'added it',
  handover: 'got it handed over',
  takeover: 'took it over',
};

export const flowText = {
  /** One of several of the same name. */
  among: (name: string, more: string) => `${name} · ${more}`,
  card: {
    failing: (handlers: readonly string[]) => `The last run of ${list.format(handlers)} failed.`,
    recent: (counts: readonly (readonly [kind: RecentKind, runs: number])[]) =>
      `Last runs: ${list.format(counts.map(([kind, runs]) => `${count(runs)} ${RECENT_WORDS[kind]}`))}.`,
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

  owner: {
    title: 'Device',
    ownedHere: 'This device runs it.',
    owned: (device: string) => `${device} runs it.`,
    handingOver: (device: string) =>
      `Being handed over to ${device}: what is at work comes to its end first.`,
    released: (device: string) => `Handed over to ${device}, which has not taken it up yet.`,
    releasedHint: 'Nobody runs it until then.',
    nobody: 'No device that is known here runs it.',
    handOver: 'Hand over…',
    takeOver: 'Take over…',
    callBack: 'Call back…',
    history: 'Who ran it',
    claim: (device: string, how: string, epoch: number) => `${device} ${how} (epoch ${epoch})`,
  },

  handOver: {
    title: 'Hand it over',
    what: 'The other device runs this workflow from then on, and the one that runs it now stops. Pending events, open questions and its schedule go over with it. Nothing is done twice, and nothing is lost.',
    busy: 'Something is at work right now. It comes to its end here first.',
    idle: 'Nothing is at work right now, so it goes over at once.',
    elsewhere: (device: string) =>
      `${device} runs it. It is asked to hand it over, and does so when it hears of it.`,
    files: 'Its file stays where it is. Whoever wants to change it changes it there.',
    to: 'To which device',
    choose: 'Choose a device',
    away: 'not connected now',
    awayHint: (device: string) =>
      `${device} is not connected now. Nobody runs the workflow until it is.`,
    none: 'There is no other device. Pair one first, under Devices.',
    submit: 'Hand over',
    submitting: 'Handing over…',
    waiting: (device: string) => `It waits for ${device}.`,
  },

  takeOver: {
    title: 'Take it over',
    warning: (device: string) =>
      `This is for when ${device} is gone. If it still runs the workflow and cannot be reached, both may act, and the same thing may happen twice. That is found when they meet again, and shown in the inbox.`,
    callBack:
      'It was let go of, and the other device has not claimed it yet. Should it do so at the same moment, that is found and shown in the inbox.',
    instead: (device: string) => `If ${device} can be reached, hand it over there instead.`,
    inFlight: 'What it had in flight, as far as is known here',
    nothing: 'As far as is known here, nothing was in flight there.',
    loading: 'Looking what was in flight',
    submit: 'Take over',
    submitting: 'Taking over…',
  },

  wishes: {
    title: 'Asked for, not done yet',
    wish: (kind: IntentView['kind']) => WISH_WORDS[kind] ?? kind,
    waitsFor: (device: string) => `waits for ${device}`,
    waitsForNobody: 'waits for a device to run this workflow',
    asked: (device: string) => `asked for on ${device}`,
  },

  graph: {
    loading: 'Loading the graph',
    empty: 'There is nothing to draw',
    emptyHint: 'This workflow has no script yet, or one of another version of Holdfast.',
    label: 'Graph of topics and handlers',
    list: 'The same as a list',
    zoomIn: 'Zoom in',
    zoomOut: 'Zoom out',
    fit: 'Fit',
    cycle: (way: readonly string[]) => `Events go round: ${[...way, way[0]].join(' → ')}.`,
    topic: 'Topic',
    producer: 'Producer',
    consumer: 'Consumer',
    pending: (events: number) => `${upTo(events)} pending`,
    reserved: (events: number) => `${upTo(events)} reserved`,
    setAside: (events: number) => `${upTo(events)} set aside`,
    atWork: (runs: number) => counted(runs, 'run at work', 'runs at work'),
    waiting: (runs: number) => counted(runs, 'run waits', 'runs wait'),
    nothing: 'empty',
    /** Under a node's name, where there is room for one word. */
    short: {
      pending: 'pending',
      reserved: 'reserved',
      setAside: 'aside',
      atWork: 'at work',
      waiting: 'waiting',
    },
    idle: 'idle',
    from: (names: readonly string[]) => `published by ${list.format(names)}`,
    fromNobody: 'published by hand only',
    to: (names: readonly string[]) => `taken by ${list.format(names)}`,
    toNobody: 'taken by nobody: its events stay',
    takes: (names: readonly string[]) => `takes ${list.format(names)}`,
    publishes: (names: readonly string[]) => `publishes ${list.format(names)}`,
    choose: 'Choose a topic to see its events, or a handler to see its runs.',
    close: 'Close',
    events: 'Events',
    noEvents: 'No events yet.',
    noRuns: 'No runs yet.',
    more: 'Show more',
    loadingEvents: 'Loading events',
    loadingRuns: 'Loading runs',
    gone: 'It is not in the active version.',
  },

  publish: {
    open: 'Publish an event…',
    title: (topic: string) => `Publish to ${topic}`,
    hint: 'As if the workflow had published it: whoever takes this topic acts on it.',
    name: 'Title',
    nameHint: 'What people see.',
    payload: 'Payload',
    payloadHint: 'As JSON. Empty is null.',
    payloadProblem: 'This is not JSON. Mend it or leave it empty; nothing was published.',
    submit: 'Publish',
    submitting: 'Publishing…',
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

  editor: {
    loading: 'Loading the editor',
    loadFailed: 'The editor could not be loaded. Load the page again; what you have typed is kept.',
    label: (fileName: string) => `Text of ${fileName}`,
    save: 'Save',
    saving: 'Saving…',
    saved: 'Saved',
    savedDraft: 'Saved as a draft. It runs when you activate it.',
    unsaved: 'Unsaved changes',
    restored: 'Your unsaved changes were kept.',
    discard: 'Discard them',
    format: 'Format',
    try: 'Try',
    problems: (problems: number) => counted(problems, 'problem', 'problems'),
    noProblems: 'No problems',
    checking: 'Checking…',
    whereIs: (line: number, column: number) => `Line ${count(line)}, column ${count(column)}`,
    changedTitle: 'The file was changed by another program',
    changedHint:
      'You have changes that are not saved. Nothing is lost: both texts are here until you choose.',
    goneTitle: 'The file is gone',
    goneHint: 'Another program removed or renamed it. Save to write it anew.',
    keepMine: 'Keep mine',
    takeTheirs: 'Take the file’s',
    compare: 'Compare',
    hideCompare: 'Hide',
    compareLabel: 'The file, and your text',
    reloaded: 'The file was changed by another program; this is the new text.',
    elsewhere: (device: string) =>
      `The file of this workflow is on ${device}. Here it can be read and tried; edit it there.`,
    invalid: 'It was not saved: mend this first. What you typed is kept here.',
    warnings: 'Something to know:',
    resize: 'Resize',
    activate: 'Activate',
  },

  tryOut: {
    title: 'Dry run',
    hint: 'Runs the text as it is here, once, with real reads. Nothing is sent: what would be is shown.',
    from: 'Begin with',
    producers: 'Its producers, each once',
    event: (topic: string) => `An event of ${topic}`,
    payload: 'Payload',
    payloadHint: 'As JSON. Empty is null.',
    payloadProblem: 'This is not JSON. Mend it or leave it empty; nothing was tried.',
    run: 'Try',
    running: 'Trying…',
    result: 'What it did',
    none: 'Nothing ran.',
    sum: (runs: number, effects: number) =>
      `${counted(runs, 'run', 'runs')}, ${counted(effects, 'effect', 'effects')} recorded and not sent.`,
    cut: 'It did not come to an end in time and was ended. This is what it had done so far.',
    wouldSend: 'Would send',
    published: 'Published',
    log: 'Log',
    failed: 'Failed',
    suspended: 'Stopped',
    nullResult: 'Nothing was sent, so next() got null as the result of the effect.',
    pending: (topic: string, events: number) =>
      `Still pending in ${topic}: ${counted(events, 'event', 'events')}.`,
    notTried: 'It was not tried: mend this first.',
    goTo: (where: string) => `Go to ${where}`,
  },

  create: {
    title: 'New workflow',
    template: 'Begin with',
    fileName: 'File name',
    fileHint: 'Letters, digits, “.”, “_” and “-”; made in the workflows folder.',
    submit: 'Create and run',
    submitting: 'Creating…',
    hint: 'It runs at once, with what it says that it uses. Pause it whenever you like.',
    badName: 'Write a name like report.ts.',
    replace: 'Your text is replaced by the template when you choose another one.',
    newButton: 'New workflow',
    addButton: 'Add a file',
  },
} as const;

/** The host stops counting there. */
function upTo(events: number): string {
  return events >= 1000 ? `${count(events)}+` : count(events);
}
