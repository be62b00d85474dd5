// Extract and apply, one process, no checks, nothing between: `raw.ts FROM TO`.
import { beSide } from '../../engine/side.ts';
import { openByHand } from '../../store/opened.ts';
import { applyRaw, EXTRACT } from '../raw.ts';

export interface RawAnswers {
  readonly sync: { readonly ms: number; readonly changes: number };
}

const [from, to] = process.argv.slice(2).map(openByHand);

beSide(
  {
    sync: () => {
      if (!from || !to) throw new Error('Name two databases.');
      const startedAt = performance.now();
      const rows = from.prepare(EXTRACT).safeIntegers().raw().iterate();
      const changes = applyRaw(to, rows as IterableIterator<unknown[]>);
      return { ms: performance.now() - startedAt, changes };
    },
  },
  () => {
    for (const sqlite of [from, to]) {
      sqlite?.prepare('SELECT crsql_finalize()').get();
      sqlite?.close();
    }
  },
);
