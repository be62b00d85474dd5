// Ownership of a workflow: which device runs it, and how that changes.
import type { IntentView, OpenThere } from '#shared/api/ownership.ts';

export const TAKE_OVER_OUTCOMES: Readonly<Record<OpenThere['fate'], string>> = {
  starts_over: 'Nothing was sent. It starts over.',
  unknown: 'It may have been sent. You’ll be asked whether it went through.',
  goes_on: 'Its effect went through. It continues to the end.',
  waits: 'It keeps waiting for you.',
};

const INTENT_LABELS: Readonly<Record<string, string>> = {
  pause: 'Pause',
  resume: 'Resume',
  run_now: 'Run now',
  cancel: 'Cancel run',
  rerun: 'Rerun event',
  answer: 'Answer',
  activate: 'Activate version',
  skip_left_behind: 'Skip events of an earlier version',
  handover: 'Hand over',
};

export const CLAIM_LABELS: Readonly<Record<'added' | 'handover' | 'takeover', string>> = {
  added: 'added it',
  handover: 'received it',
  takeover: 'took it over',
};

export const ownershipText = {
  owner: {
    title: 'Owner',
    ownedHere: 'This device runs this workflow.',
    owned: (device: string) => `${device} runs this workflow.`,
    handingOver: (device: string) => `Handing over to ${device}. Runs in progress finish first.`,
    released: (device: string) => `Handed over to ${device}, which hasn’t accepted it yet.`,
    releasedHint: 'The workflow doesn’t run until then.',
    nobody: 'No known device runs this workflow.',
    handOver: 'Hand over…',
    takeOver: 'Take over…',
    callBack: 'Take back…',
    history: 'History',
    claim: (device: string, how: string, epoch: number) => `${device} ${how} (epoch ${epoch})`,
  },

  handOver: {
    title: 'Hand over workflow',
    what: 'The other device becomes the owner and this workflow stops on the current one. Pending events, open questions and the schedule move with it. No effect happens twice, and nothing is lost.',
    busy: 'A run is in progress. It finishes here first.',
    idle: 'No runs are in progress, so the hand-over is immediate.',
    elsewhere: (device: string) =>
      `${device} is the owner. Holdfast asks it to hand over when it next syncs.`,
    files: 'The file stays where it is. Edit it there.',
    to: 'New owner',
    away: 'not connected',
    awayHint: (device: string) =>
      `${device} isn’t connected. The workflow doesn’t run until it is.`,
    none: 'You have no other device. Pair one first, under Devices.',
    submit: 'Hand over',
    submitting: 'Handing over…',
  },

  takeOver: {
    title: 'Take over workflow',
    warning: (device: string) =>
      `Only take over if ${device} is gone. If it’s still running and just can’t be reached, both devices may act and an effect may happen twice. Holdfast detects this when they sync again and shows it in the inbox.`,
    callBack:
      'The other device hasn’t accepted the hand-over yet. If it accepts at the same moment, Holdfast detects that and shows it in the inbox.',
    instead: (device: string) => `If ${device} can be reached, hand over from there instead.`,
    inFlight: 'Unfinished runs known here',
    nothing: 'No unfinished runs are known here.',
    loading: 'Loading unfinished runs',
    submit: 'Take over',
    submitting: 'Taking over…',
  },

  intents: {
    title: 'Pending requests',
    label: (kind: IntentView['kind']) => INTENT_LABELS[kind] ?? kind,
    waitsFor: (device: string) => `waiting for ${device}`,
    waitsForNobody: 'waiting for an owner',
    asked: (device: string) => `requested on ${device}`,
  },
} as const;
