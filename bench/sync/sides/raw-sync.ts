// Extract and apply, one process, no checks, nothing between: `raw.ts FROM TO`.
import { serveSide } from '../../engine/side.ts';
import { openBaseline } from '../../store/both-sides.ts';
import { applyRaw, EXTRACT } from '../raw-exchange.ts';

export interface RawAnswers {
  readonly sync: { readonly ms: number; readonly changes: number };
}

const [from, to] = process.argv.slice(2).map(openBaseline);

serveSide(
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
