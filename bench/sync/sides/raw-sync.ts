// `raw-sync.ts FROM TO`: extracts all changes of one database and applies them to another, in one
// process and without checks.
import { serveSide } from '../../engine/side.ts';
import { closeBaseline, openBaseline } from '../../store/both-sides.ts';
import { applyRaw, EXTRACT } from '../raw-exchange.ts';

export interface RawAnswers {
  readonly sync: { readonly ms: number; readonly changes: number };
}

const [from, to] = process.argv.slice(2).map(openBaseline);

serveSide(
  {
    sync: () => {
      if (!from || !to) throw new Error('usage: raw-sync.ts FROM TO');
      const startedAt = performance.now();
      const rows = from.prepare(EXTRACT).safeIntegers().raw().iterate();
      const changes = applyRaw(to, rows as IterableIterator<unknown[]>);
      return { ms: performance.now() - startedAt, changes };
    },
  },
  () => {
    for (const sqlite of [from, to]) if (sqlite) closeBaseline(sqlite);
  },
);
