// Writes that are refused for a reason that a person or author can act on. A refused write rolls
// back. Unexpected errors are not handled here.
import type { Database } from '#main/store/sqlite/database.ts';

/** Thrown inside a write to roll it back. The message is the reason. */
export class Refused extends Error {}

/** The reason of a refused write. Throws any other error again. */
export function refusalReason(error: unknown): string {
  if (error instanceof Refused) return error.message;
  throw error;
}

/**
 * Runs `work` as a nested write that rolls back if `work` returns a reason. The enclosing write
 * continues either way. Returns the reason, or null.
 */
export function allOrNothing(db: Database, work: () => string | null): string | null {
  try {
    return db.write(() => {
      const reason = work();
      if (reason !== null) throw new Refused(reason);
      return null;
    });
  } catch (error) {
    return refusalReason(error);
  }
}
