// A mark inside every backup. A host that opens a data folder with a backup in it sees the mark and
// knows that its data is old, also when a person copied the file there.
import { z } from 'zod';
import type { SettingsStore } from '#main/store/tables/settings.ts';

/** Set in a backup, never in a database that a host has opened. */
export const BACKUP_MARK = 'backup';
/** Set in a database that was restored from a backup. */
const RESTORED = 'restored';
/** Set while this device waits for what a peer knows about it. */
const PEER_KNOWS_MORE = 'peer_knows_more';
/** When this device last learned that its database went back. */
const RECORDS_SINCE = 'records_since';
/** Set in a database that went back while its device has peers, until they were asked. */
const WENT_BACK = 'went_back';

const markSchema = z.object({ madeAt: z.int() });
export type BackupMark = z.infer<typeof markSchema>;

const restoredSchema = markSchema.extend({
  formerDeviceId: z.string().nullable(),
  openedAt: z.int(),
});
/** This database knows nothing that happened after `madeAt`. */
export type Restored = z.infer<typeof restoredSchema>;

const wentBackSchema = markSchema.extend({
  openedAt: z.int(),
  /** How far the database had got, if that is known completely: nothing was written after it. */
  reached: z.object({ lineage: z.string(), version: z.int() }).nullable(),
});
/** An older state of this device's database was put back. */
export type WentBack = z.infer<typeof wentBackSchema>;

export function readBackupMark(settings: SettingsStore): BackupMark | null {
  return markSchema.safeParse(settings.get(BACKUP_MARK)).data ?? null;
}

export function readRestored(settings: SettingsStore): Restored | null {
  return restoredSchema.safeParse(settings.get(RESTORED)).data ?? null;
}

export function readWentBack(settings: SettingsStore): WentBack | null {
  return wentBackSchema.safeParse(settings.get(WENT_BACK)).data ?? null;
}

export function markWentBack(settings: SettingsStore, wentBack: WentBack): void {
  settings.set(WENT_BACK, wentBack);
  settings.set(RECORDS_SINCE, wentBack.openedAt);
}

/** Nothing that the device did is missing any more. */
export function forgetWentBack(settings: SettingsStore): void {
  settings.remove(WENT_BACK);
}

export function isPeerKnowsMore(settings: SettingsStore): boolean {
  return settings.get(PEER_KNOWS_MORE) === true;
}

export function markPeerKnowsMore(settings: SettingsStore, at: number): void {
  settings.set(PEER_KNOWS_MORE, true);
  settings.set(RECORDS_SINCE, at);
}

export function forgetPeerKnowsMore(settings: SettingsStore): void {
  settings.remove(PEER_KNOWS_MORE);
}

/** Local records from before this time, such as runner jobs, may be missing. */
export function recordsSince(settings: SettingsStore): number {
  const own = settings.get(RECORDS_SINCE);
  return Math.max(readRestored(settings)?.openedAt ?? 0, typeof own === 'number' ? own : 0);
}

/** Turns a backup into an ordinary database that remembers it was restored. */
export function markRestored(settings: SettingsStore, restored: Restored): void {
  settings.set(RESTORED, restored);
  settings.remove(BACKUP_MARK);
  settings.remove(WENT_BACK);
}
