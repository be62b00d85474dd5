// Backups, restoring and retention.
import { count, counted } from '#renderer/text/numbers.ts';

const waitingEvents = (events: number): string =>
  counted(events, 'waiting event', 'waiting events');
const unfinishedRuns = (runs: number): string => counted(runs, 'unfinished run', 'unfinished runs');

export const upkeepText = {
  backups: {
    hint: 'A backup is the whole database of one moment, checked, in one file. Nothing stands still while it is made.',
    loading: 'Looking for backups',
    make: 'Make one now',
    making: 'Copying and checking the database…',
    made: (size: string) => `Made and checked: ${size}.`,
    list: 'Backups',
    when: 'Made',
    size: 'Size',
    emptyTitle: 'No backup yet',
    emptyHint: (isDaily: boolean) =>
      isDaily
        ? 'The first one comes by itself, soon after the start. Or make one now.'
        : 'None is made by itself. Make one now, or let one be made every day.',
    folder: 'Where they lie',
    folderHint:
      'On the same disk as the database: copy the newest one elsewhere now and then. Keys and secrets are not in it.',
    copyPath: 'Copy path',
    copied: 'Copied',
    choices: 'By themselves',
    daily: 'One every day',
    dailyHint: (keep: number) => `The newest ${count(keep)} stay; older ones are removed.`,
    keep: 'How many stay',
    keepItem: (keep: number) => counted(keep, 'backup', 'backups'),
    fewerTitle: (keep: number) => `Keep only ${counted(keep, 'backup', 'backups')}?`,
    fewerWarning: (removed: number) =>
      `${counted(removed, 'older backup is', 'older backups are')} removed at once, and cannot be brought back.`,
    fewer: 'Remove them',
    restore: 'Restore…',
    restoreTitle: 'Go back to this backup',
    of: (made: string) => ` the one of ${made}`,
    steps: [
      'Quit Holdfast: in the tray, or by ending “holdfast serve”. A running one refuses.',
      'In a terminal, put the backup into the place of the database:',
      'Start Holdfast again, and pair it with your other devices: they give back what they have.',
      'Here in the settings it then asks, workflow by workflow, how to go on.',
    ],
    restoreHint:
      'What happened after the backup is not in it. So that nothing happens twice, the restored folder is a device of its own and runs nothing by itself. What it replaces is kept aside, whole.',
    copyCommand: 'Copy the command',
  },
  restored: {
    title: (made: string) => `This device goes on from a backup of ${made}`,
    hint: 'What was done after that is not known here and could happen again. See what was done outside, then say for each workflow how to go on. Pair your other devices first: they know more.',
    none: 'No workflow stands still because of it.',
    open: (events: number, runs: number) => {
      const parts = [
        ...(events > 0 ? [waitingEvents(events)] : []),
        ...(runs > 0 ? [unfinishedRuns(runs)] : []),
      ];
      return parts.length === 0 ? 'Nothing was open in it.' : `${parts.join(', ')}.`;
    },
    goOn: 'Go on…',
    of: (name: string) => ` with ${name}`,
    goOnTitle: (name: string) => `Go on with “${name}”`,
    goOnHint: (events: number) =>
      events === 0
        ? 'Nothing waited in it when the backup was made. This device runs it from now on, and its schedules begin anew. What was in flight waits for you in the inbox.'
        : `${waitingEvents(events)} may have been done since. This device runs the workflow from now on, and its schedules begin anew. What was in flight waits for you in the inbox.`,
    question: 'What waited then',
    skip: 'was done since: skip it',
    skipHint: 'Nothing of it is done again. Right if you are not sure.',
    do: 'is still to be done: do it',
    doHint: 'It is done once more, whatever was done after the backup.',
    submit: 'Go on',
    wentOn: (name: string, skipped: number) =>
      skipped === 0
        ? `“${name}” is run by this device now.`
        : `“${name}” is run by this device now. Skipped: ${count(skipped)}.`,
    notice: (workflows: number) =>
      `This device goes on from a backup. ${counted(workflows, 'workflow stands', 'workflows stand')} still until you say how to go on.`,
    toSettings: 'See what could happen again',
  },
  history: {
    hint: 'What has come to its end can leave the database after a while. It is kept, row by row, in plain compressed files in the folder “archive”. What is unfinished never leaves.',
    loading: 'Loading the choice',
    title: 'How long history stays',
    label: 'It stays',
    forever: 'For ever',
    days: (days: number) => counted(days, 'day', 'days'),
    year: 'A year',
    other: 'Another number of days',
    otherLabel: 'Days',
    badDays: (most: number) => `Write a whole number from 1 to ${count(most)}.`,
    preview: 'What would leave now',
    previewing: 'Looking what would leave',
    stays: 'Nothing leaves: history stays for ever.',
    nothing: (before: string) => `Nothing that ended before ${before} is left here.`,
    leaves: (what: readonly string[], before: string) =>
      `${what.join(' and ')} that ended before ${before}, with all that belongs to them.`,
    runs: (runs: number, isMore: boolean) =>
      `${isMore ? 'at least ' : ''}${counted(runs, 'run', 'runs')}`,
    events: (events: number) => counted(events, 'event', 'events'),
    waitsFor: (device: string) =>
      `More is kept for “${device}”, which has not had it yet. Connect it, or unpair it.`,
    elsewhere: (workflows: number) =>
      `${counted(workflows, 'workflow is', 'workflows are')} run by other devices, which let their history go by their own choice.`,
    save: 'Keep this choice',
    saved: 'Kept. It is looked at every few hours.',
    now: 'Archive now…',
    keepFirst: 'Keep a number of days first; then what is older can leave at once.',
    nowTitle: 'Archive what is old now?',
    nowWarning:
      'What leaves is gone from the lists here and on your other devices. It stays in the files of the archive, but nothing brings it back into the lists.',
    nowSubmit: 'Archive',
    archived: (rows: number) =>
      rows === 0 ? 'Nothing was old enough.' : `Archived: ${counted(rows, 'row', 'rows')}.`,
  },
} as const;
