// What a backup says of itself, inside itself: whichever way it comes back into a data folder, by
// our command or by hand, the host that opens it knows that it is looking at the past.
import { z } from 'zod';
import type { SettingsStore } from '#main/store/settings.ts';

/** In the settings of a backup; never in those of a database that has been opened by a host. */
export const BACKUP_MARK = 'backup';
/** In the settings of a database that was once a backup. */
const RESTORED = 'restored';

const markSchema = z.object({ madeAt: z.int() });
export type BackupMark = z.infer<typeof markSchema>;

const restoredSchema = markSchema.extend({
  formerDeviceId: z.string().nullable(),
  openedAt: z.int(),
});
/** Everything that this database does not know of happened after `madeAt`. */
export type Restored = z.infer<typeof restoredSchema>;

export function readBackupMark(settings: SettingsStore): BackupMark | null {
  return markSchema.safeParse(settings.get(BACKUP_MARK)).data ?? null;
}

export function readRestored(settings: SettingsStore): Restored | null {
  return restoredSchema.safeParse(settings.get(RESTORED)).data ?? null;
}

/** From now on it is a database like any other; that it was restored is never forgotten. */
export function noteRestored(settings: SettingsStore, restored: Restored): void {
  settings.set(RESTORED, restored);
  settings.remove(BACKUP_MARK);
}
