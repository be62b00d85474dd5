// The witness of a file effect: the state of a file and its folder before the effect, as their file
// system reports it. If a check finds both unchanged, nothing was touched. Any difference proves nothing:
// the effect may have been made, and another program may have undone it or taken the file since.
//
// Times are compared with other times of the same file system only. Its clock may be off: network
// drives have their own.
import { z } from 'zod';
import type { Directory } from '#main/tools/files/directory.ts';
import type { Place } from '#main/tools/files/place.ts';
import type { Clock } from '#shared/clock.ts';
import type { Json } from '#shared/json.ts';

/** Null: there is no such entry. */
type Mark = string | null;

const witness = z.strictObject({
  /** Every later change gets a later time than those seen. */
  isSettled: z.boolean(),
  seen: z.record(z.string(), z.string().nullable()),
});

export type Witness = z.infer<typeof witness>;

export interface Seen {
  readonly [what: string]: Mark;
}

export interface Sight {
  readonly directory: Directory;
  readonly name: string;
}

/** An entry and the folder that it is in. */
export function sightsOf(directory: Directory, { name }: Place): { [what: string]: Sight } {
  return { entry: { directory, name }, folder: { directory, name: '.' } };
}

/** File systems count time in steps: a kernel tick, or up to two seconds. */
const STEP_MS = 20;
const COARSE_STEP_MS = 2000;
const NS_PER_MS = 1_000_000n;
const NS_PER_S = 1000n * NS_PER_MS;

/** Looks before the effect. */
export async function witnessOf(
  clock: Clock,
  sights: { readonly [what: string]: Sight },
): Promise<Json> {
  const seen: { [what: string]: Mark } = {};
  let newest = 0n;
  for (const [what, sight] of Object.entries(sights)) {
    const found = await sight.directory.look(sight.name);
    seen[what] = found && markOf(found);
    if (found && found.ctimeNs > newest) newest = found.ctimeNs;
  }
  return { isSettled: await settles(clock, newest), seen };
}

/** Looks again. */
export async function lookAt(sights: { readonly [what: string]: Sight }): Promise<Seen> {
  const seen: { [what: string]: Mark } = {};
  for (const [what, { directory, name }] of Object.entries(sights)) {
    const found = await directory.look(name);
    seen[what] = found && markOf(found);
  }
  return seen;
}

/** Null if it can't be read: then it proves nothing. */
export function readWitness(recorded: Json | undefined): Witness | null {
  return witness.safeParse(recorded).data ?? null;
}

/** Whether an entry is certainly untouched: unchanged, or absent from an unchanged folder. */
export function isUntouched(before: Witness | null, now: Seen): boolean {
  if (before?.seen['entry'] !== null) return isUnchanged(before, now, 'entry');
  return now['entry'] === null && isUnchanged(before, now, 'folder');
}

/** Whether it was there and nothing has changed it since. */
export function isUnchanged(before: Witness | null, now: Seen, what: string): boolean {
  const mark = before?.seen[what];
  return (before?.isSettled ?? false) && typeof mark === 'string' && mark === now[what];
}

/** Whether the entry of one place is now at another. Its times may have changed. */
export function isNowAt(before: Witness | null, now: Seen, from: string, to: string): boolean {
  const inodeOf = (mark: Mark | undefined): string | undefined => mark?.split(' ')[0];
  const inode = inodeOf(before?.seen[from]);
  return inode !== undefined && inode === inodeOf(now[to]);
}

interface Stamps {
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
}

function markOf({ ino, size, mtimeNs, ctimeNs }: Stamps): string {
  return [ino, size, mtimeNs, ctimeNs].join(' ');
}

/**
 * A change within the same step of the file system's clock would not show. A short step is waited for;
 * during a long one nothing can be concluded. This computer's clock is used for that only, so a wrong
 * one makes the witness weaker, and never makes an unchanged mark of something that changed later.
 */
async function settles(clock: Clock, ctimeNs: bigint): Promise<boolean> {
  const age = clock.now() - Number(ctimeNs / NS_PER_MS);
  if (ctimeNs % NS_PER_S === 0n) return age > COARSE_STEP_MS;
  if (age >= 0 && age <= STEP_MS) await clock.sleep(STEP_MS + 1 - age);
  return age >= 0;
}
