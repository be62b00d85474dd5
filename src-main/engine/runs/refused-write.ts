// What refuses a write: nothing of it stays, and whoever asked for it is told why.
import type { Database } from '#main/store/sqlite/database.ts';

/** Thrown in a write, it takes back all of it. */
export class Refused extends Error {}

/** Why it was refused; whatever else went wrong is thrown again. */
export function refusal(error: unknown): string {
  if (error instanceof Refused) return error.message;
  throw error;
}

/** Part of a write. Null, or the reason that `work` gave; then the rest of the write stands. */
export function allOrNothing(db: Database, work: () => string | null): string | null {
  try {
    return db.write(() => {
      const reason = work();
      if (reason !== null) throw new Refused(reason);
      return null;
    });
  } catch (error) {
    return refusal(error);
  }
}
