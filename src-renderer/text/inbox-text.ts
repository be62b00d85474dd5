// The inbox and its cards.
import type { MutationView } from '#shared/api/handler-runs.ts';
import type { Resolution } from '#shared/machines/mutation.ts';
import { counted } from '#renderer/text/numbers.ts';

const RESOLUTION_LABELS: Readonly<Record<Exclude<Resolution, 'user_retry'>, string>> = {
  user_assert_applied: 'It happened',
  user_assert_failed: 'It did not happen',
  user_skip: 'Skip',
};

/** To try again is to ask where that can be done, and to send where it cannot. */
export function resolutionLabel(resolution: Resolution, canCheck: boolean): string {
  if (resolution !== 'user_retry') return RESOLUTION_LABELS[resolution];
  return canCheck ? 'Check again' : 'Send again';
}

export const RESOLUTION_STATUS_LABELS: Readonly<
  Record<MutationView['resolutions'][number]['status'], string>
> = {
  waiting: 'Waits to be carried out',
  done: 'Carried out',
  superseded: 'Superseded',
  refused: 'Refused',
};

export const inboxText = {
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
} as const;
