// The cost of peek depends on the pending events, not on the history: the same pending events with
// a million consumed events beside them, and with none.
import { compare, duration, type Figure } from '../harness.ts';
import { PENDING, TOPICS, eventsDatabase } from './events-database.ts';
import { openStores, type OpenedStores } from './both-sides.ts';

const BAR = 2;
const LIMIT = 50;
const TURNS_PER_SLICE = 10;
const SLICES_PER_ROUND = 20;
const MILLION = 1_000_000;
/** The cached database file must not change between runs. */
const READ_ONLY = { readonly: true } as const;

export function peekAmongMany(): Figure {
  const large = openStores(eventsDatabase(MILLION), READ_ONLY);
  const small = openStores(eventsDatabase(PENDING), READ_ONLY);
  try {
    const measured = compare({
      operationsPerSlice: TURNS_PER_SLICE * TOPICS.length,
      slicesPerRound: SLICES_PER_ROUND,
      subject: () => () => peekInTurns(large),
      baseline: () => () => peekInTurns(small),
    });
    return duration('peek_50_among_1m_vs_1k', measured, BAR);
  } finally {
    large.db.close();
    small.db.close();
  }
}

/** Rotates over the topics, so that the pages of one topic are not always cached. */
function peekInTurns({ events }: OpenedStores): void {
  for (let turn = 0; turn < TURNS_PER_SLICE; turn += 1) {
    for (const topic of TOPICS) {
      const found = events.peek(topic.id, LIMIT).length;
      if (found !== LIMIT) throw new Error(`Peek found ${found} events, not ${LIMIT}.`);
    }
  }
}
