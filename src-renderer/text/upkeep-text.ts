// Backups, restore and retention.
import { count, counted } from '#renderer/text/numbers.ts';

const waitingEvents = (events: number): string =>
  counted(events, 'pending event', 'pending events');
const unfinishedRuns = (runs: number): string => counted(runs, 'unfinished run', 'unfinished runs');

export const upkeepText = {
  backups: {
    hint: 'A backup is a verified copy of the whole database in one file. Workflows keep running meanwhile.',
    loading: 'Loading backups',
    make: 'Back up now',
    making: 'Copying and verifying the database…',
    made: (size: string) => `Backup made and verified (${size}).`,
    list: 'Backups',
    emptyTitle: 'No backups yet',
    emptyHint: (isDaily: boolean) =>
      isDaily
        ? 'The first daily backup follows soon after start. You can also back up now.'
        : 'Daily backups are off. Back up now or turn them on.',
    folder: 'Location',
    folderHint:
      'Same disk as the database. Copy the newest backup elsewhere now and then. Keys and secrets aren’t included.',
    copyPath: 'Copy path',
    copied: 'Copied',
    choices: 'Automatic backups',
    daily: 'Daily backup',
    dailyHint: (keep: number) =>
      `Keeps the newest ${counted(keep, 'backup', 'backups')} and removes older ones.`,
    keep: 'Backups to keep',
    keepItem: (keep: number) => counted(keep, 'backup', 'backups'),
    fewerTitle: (keep: number) => `Keep only ${counted(keep, 'backup', 'backups')}?`,
    fewerWarning: (removed: number) =>
      `This removes ${counted(removed, 'older backup', 'older backups')} immediately. You can’t undo it.`,
    fewer: 'Remove',
    restore: 'Restore…',
    restoreTitle: 'Restore this backup',
    of: (made: string) => ` the backup of ${made}`,
    steps: [
      'Quit Holdfast from the tray, or stop “holdfast serve”. Restore refuses while it runs.',
      'In a terminal, replace the database with the backup:',
      'Start Holdfast again and pair it with your other devices. They send back what they have.',
      'Open Settings, where Holdfast asks how to resume each workflow.',
    ],
    restoreHint:
      'A backup doesn’t contain anything newer than itself. To prevent double effects, the restored folder becomes a new device and runs nothing until you resume it. The replaced database is set aside, complete.',
    copyCommand: 'Copy command',
  },
  restored: {
    title: (made: string) => `Restored from backup of ${made}`,
    hint: 'Effects after that time are unknown here and could happen again. Pair your other devices first: they know more. Check what already happened, then resume each workflow.',
    none: 'No workflows are waiting to be resumed.',
    open: (events: number, runs: number) => {
      const parts = [
        ...(events > 0 ? [waitingEvents(events)] : []),
        ...(runs > 0 ? [unfinishedRuns(runs)] : []),
      ];
      return parts.length === 0 ? 'Nothing unfinished' : parts.join(', ');
    },
    resume: 'Resume…',
    of: (name: string) => ` ${name}`,
    resumeTitle: (name: string) => `Resume “${name}”`,
    resumeHint: (events: number) =>
      events === 0
        ? 'Nothing was pending at the time of the backup. This device becomes the owner, and schedules start fresh. Effects that were in flight wait for you in the inbox.'
        : `${waitingEvents(events)} may have been processed since the backup. This device becomes the owner, and schedules start fresh. Effects that were in flight wait for you in the inbox.`,
    question: 'Pending events',
    skip: 'Skip them',
    skipHint: 'They’re not processed again. Choose this if you’re not sure.',
    do: 'Process them',
    doHint: 'They’re processed again, even if that already happened after the backup.',
    submit: 'Resume',
    resumed: (name: string, skipped: number) =>
      skipped === 0
        ? `Resumed “${name}” on this device.`
        : `Resumed “${name}” on this device. Skipped ${counted(skipped, 'event', 'events')}.`,
    notice: (workflows: number) =>
      `Restored from backup. ${counted(workflows, 'workflow is', 'workflows are')} waiting to be resumed.`,
    toSettings: 'Review and resume',
  },
  history: {
    hint: 'Holdfast can move ended history out of the database into compressed files in the “archive” folder. Unfinished work always stays.',
    loading: 'Loading retention',
    title: 'Retention',
    label: 'Keep history',
    forever: 'Forever',
    days: (days: number) => counted(days, 'day', 'days'),
    year: '1 year',
    other: 'Custom',
    otherLabel: 'Days',
    badDays: (most: number) => `Enter a whole number from 1 to ${count(most)}.`,
    preview: 'Preview',
    previewing: 'Loading the preview',
    stays: 'Nothing is archived.',
    nothing: (before: string) => `Nothing to archive from before ${before}.`,
    leaves: (what: readonly string[], before: string) =>
      `Archives ${what.join(' and ')} that ended before ${before}, with everything that belongs to them.`,
    runs: (runs: number, isMore: boolean) =>
      `${isMore ? 'at least ' : ''}${counted(runs, 'run', 'runs')}`,
    events: (events: number) => counted(events, 'event', 'events'),
    waitsFor: (device: string) =>
      `Some history stays because “${device}” hasn’t synced it yet. Connect or unpair that device.`,
    elsewhere: (workflows: number) =>
      `${counted(workflows, 'workflow runs', 'workflows run')} on other devices, which apply their own retention.`,
    save: 'Save',
    saved: 'Saved. Holdfast archives every few hours.',
    now: 'Archive now…',
    keepFirst: 'Save a number of days first. Then you can archive older history immediately.',
    nowTitle: 'Archive old history now?',
    nowWarning:
      'Archived history disappears from the lists here and on your other devices. It stays in the archive files, but you can’t bring it back into the lists.',
    nowSubmit: 'Archive',
    archived: (rows: number) =>
      rows === 0 ? 'Nothing to archive.' : `Archived ${counted(rows, 'row', 'rows')}.`,
  },

  rawPayloads: {
    title: 'Original payloads',
    hint: 'Inputs are stored without secrets. The original stays sealed on this device for some days, so that you can look at it on the input’s page. It’s never synced, exported or backed up. 0 stores none.',
    label: 'Days',
    badDays: (most: number) => `Enter a whole number from 0 to ${count(most)}.`,
    deletes: 'Saving deletes all originals that are stored now.',
    save: 'Save days',
    stored: (stored: number, size: string) =>
      stored === 0
        ? 'None are stored now.'
        : `${counted(stored, 'original is', 'originals are')} stored now, ${size}.`,
  },
} as const;
