// Part of a commit that may be refused: then nothing of it stays, and the rest can say why.
import type { Database } from '#main/store/database.ts';

class Refused extends Error {}

/** Null, or the reason that `work` gave; with a reason all that it wrote is taken back. */
export function allOrNothing(db: Database, work: () => string | null): string | null {
  try {
    return db.write(() => {
      const reason = work();
      if (reason !== null) throw new Refused(reason);
      return null;
    });
  } catch (error) {
    if (error instanceof Refused) return error.message;
    throw error;
  }
}
