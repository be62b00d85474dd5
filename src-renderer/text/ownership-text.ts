// Which device runs a workflow, and how that changes.
import type { IntentView, OpenThere } from '#shared/api/ownership.ts';

export const TAKE_OVER_OUTCOMES: Readonly<Record<OpenThere['fate'], string>> = {
  starts_over: 'It had sent nothing: it starts over.',
  unknown: 'It may have acted: it becomes a question for you.',
  goes_on: 'It had acted: it is brought to its end.',
  waits: 'It waits for a person, as before.',
};

const INTENT_LABELS: Readonly<Record<string, string>> = {
  pause: 'Pause',
  resume: 'Resume',
  run_now: 'Run now',
  cancel: 'Cancel a run',
  rerun: 'Run an event again',
  answer: 'An answer',
  activate: 'Activate a version',
  handover: 'Hand over',
};

export const CLAIM_LABELS: Readonly<Record<'added' | 'handover' | 'takeover', string>> = {
  added: 'added it',
  handover: 'got it handed over',
  takeover: 'took it over',
};

export const ownershipText = {
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

  intents: {
    title: 'Asked for, not done yet',
    label: (kind: IntentView['kind']) => INTENT_LABELS[kind] ?? kind,
    waitsFor: (device: string) => `waits for ${device}`,
    waitsForNobody: 'waits for a device to run this workflow',
    asked: (device: string) => `asked for on ${device}`,
  },
} as const;
