// The inbox and its cards.
import type { MutationView } from '#shared/api/handler-runs.ts';
import type { StopAs } from '#shared/inputs/kinds.ts';
import type { Resolution } from '#shared/machines/mutation.ts';
import { counted } from '#renderer/text/numbers.ts';

const RESOLUTION_LABELS: Readonly<Record<Exclude<Resolution, 'user_retry'>, string>> = {
  user_assert_applied: 'It went through',
  user_assert_failed: 'It didn’t',
  user_skip: 'Skip',
};

/** A retry checks the outcome if the tool can, and sends again if it can't. */
export function resolutionLabel(resolution: Resolution, canCheck: boolean): string {
  if (resolution !== 'user_retry') return RESOLUTION_LABELS[resolution];
  return canCheck ? 'Check again' : 'Send again';
}

export const RESOLUTION_STATUS_LABELS: Readonly<
  Record<MutationView['resolutions'][number]['status'], string>
> = {
  waiting: 'Pending',
  done: 'Carried out',
  superseded: 'Superseded',
  refused: 'Refused',
};

const WAIT_ENDS: Readonly<Record<StopAs, string>> = {
  timed_out: 'If nobody acts, its input times out',
  failed: 'If nobody acts, its input fails',
  canceled: 'If nobody acts, its input ends as canceled',
  skipped: 'If nobody acts, its input ends as skipped',
};

export const inboxText = {
  inbox: {
    title: 'Inbox',
    empty: 'You’re all caught up',
    emptyHint:
      'Unknown outcomes and questions from workflows appear here. Everything else keeps running.',
    loading: 'Loading the inbox',
    waiting: (items: number) => counted(items, 'item needs you', 'items need you'),
    waitEnd: (otherwise: StopAs) => WAIT_ENDS[otherwise],
    run: 'View run',
    runs: 'View runs',
    recorded: (choice: string, title: string) => `Saved “${choice}” for “${title}”.`,
    answered: (title: string) => `Saved your answer to “${title}”.`,
    asked: (title: string) => `Saved your decision on “${title}”.`,
    follow: 'View result',
    awaiting: 'Saved. The result appears here shortly.',
    decided: (choice: string, device: string) => `You chose “${choice}” on ${device}.`,
    askedBack: 'Undo requested. It takes effect unless the owner has already acted.',
    undo: 'Undo',
    settleAs: (choice: string) => `Settle as “${choice}”`,
    next: 'Next item',
    previous: 'Previous item',
  },

  unknown: {
    what: 'This was sent, but no reply confirmed the outcome. The workflow waits until you decide.',
    call: 'Call',
    at: 'Sent',
    device: 'Device',
    why: 'Error',
    check: 'Automatic check',
    checkYes: (attempts: number) =>
      attempts === 0
        ? 'Available'
        : `Checked ${counted(attempts, 'time', 'times')}, no definite result`,
    checkNo: 'Not available',
    look: 'How to check',
    effectId: 'Effect id',
    params: 'Parameters',
    earlier: 'Earlier decisions',
    decide: 'Did it go through?',
    happenedHint: 'Continues as if the reply had arrived. Nothing is sent.',
    didNotHappenHint: 'Ends this run and starts a new one, which sends it.',
    checkHint: 'Checks whether it went through. A new run sends it only if it didn’t.',
    sendHint: 'Sends the same request again. If the first one went through, it may happen twice.',
    skipHint: 'Continues without it. Nothing is sent, and the outcome stays unknown.',
    more: 'Add a note or result',
    note: 'Note',
    noteHint: 'Optional. Saved with your decision.',
    result: 'Result',
    resultHint: 'Optional JSON, used with “It went through” in place of the lost reply.',
    resultProblem: 'Invalid JSON. Fix it or clear the field. Nothing was saved.',
  },

  sendAgain: {
    title: 'Send it again?',
    warning:
      'Holdfast can’t check whether it went through. If it did, sending it again may make it happen twice.',
    look: 'Check first if you can:',
    submit: 'Send again anyway',
    submitting: 'Sending…',
  },

  question: {
    answer: 'Your answer',
    submit: 'Answer',
    submitting: 'Answering…',
    answerWith: (choice: string) => `Answer “${choice}”`,
  },

  approval: {
    what: 'A run needs a permission or a secret it doesn’t have.',
    tryAgain: 'Retry',
    hint: 'Grant the permission or add the secret first.',
  },

  setAside: {
    what: (topic: string) =>
      `Holdfast set this event in “${topic}” aside so later events can continue.`,
    rerun: 'Rerun',
    hint: 'Processes the event again as a new attempt.',
  },

  incident: {
    acknowledge: 'Acknowledge',
    afterwards: 'Decided later',
    noCall: 'No effect',
    sent: 'Parameters',
    result: 'Result',
  },

  stopped: {
    what: 'This workflow stopped itself.',
    restored:
      'The data of this workflow is from a backup or an older copy. Before it resumes, choose what happens to its pending work.',
    resume: 'Resume',
    hint: 'Fix the cause first. The workflow continues where it stopped.',
  },

  leftBehind: {
    version: 'the active version',
    versions: 'See versions',
    skip: 'Skip events',
    hint: 'Or activate a version that has the topic again, and it takes these events.',
    runHint:
      'Activate a version that has it again, and the run continues. Its effect is not repeated.',
  },
} as const;
