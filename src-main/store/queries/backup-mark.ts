// A mark inside every backup. A host that opens a data folder with a backup in it sees the mark and
// knows that its data is old, also when a person copied the file there.
import { z } from 'zod';
import type { SettingsStore } from '#main/store/tables/settings.ts';

/** Set in a backup, never in a database that a host has opened. */
export const BACKUP_MARK = 'backup';
/** Set in a database that was restored from a backup. */
const RESTORED = 'restored';

const markSchema = z.object({ madeAt: z.int() });
export type BackupMark = z.infer<typeof markSchema>;

const restoredSchema = markSchema.extend({
  formerDeviceId: z.string().nullable(),
  openedAt: z.int(),
});
/** This database knows nothing that happened after `madeAt`. */
export type Restored = z.infer<typeof restoredSchema>;

export function readBackupMark(settings: SettingsStore): BackupMark | null {
  return markSchema.safeParse(settings.get(BACKUP_MARK)).data ?? null;
}

export function readRestored(settings: SettingsStore): Restored | null {
  return restoredSchema.safeParse(settings.get(RESTORED)).data ?? null;
}

/** Turns a backup into an ordinary database that remembers it was restored. */
export function markRestored(settings: SettingsStore, restored: Restored): void {
  settings.set(RESTORED, restored);
  settings.remove(BACKUP_MARK);
}
