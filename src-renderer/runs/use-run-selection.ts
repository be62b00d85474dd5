// Selected runs by id. Rows that leave the list stay selected, and the bar always shows how many
// there are.
import { useCallback, useMemo, useRef, useState } from 'react';

export interface RunSelection {
  readonly ids: ReadonlySet<string>;
  has(id: string): boolean;
  /** With `isRange`, selects the range from the last selected row. */
  toggle(id: string, order: readonly string[], isRange: boolean): void;
  selectAll(ids: readonly string[]): void;
  clear(): void;
}

const NO_IDS: ReadonlySet<string> = new Set();

export function useRunSelection(): RunSelection {
  const [ids, setIds] = useState(NO_IDS);
  const last = useRef<string | null>(null);
  const toggle = useCallback<RunSelection['toggle']>((id, order, through) => {
    const touched = through ? between(order, last.current, id) : [id];
    last.current = id;
    setIds((before) => {
      const next = new Set(before);
      const isOn = !before.has(id);
      for (const one of touched) {
        if (isOn) next.add(one);
        else next.delete(one);
      }
      return next;
    });
  }, []);
  return useMemo(
    () => ({
      ids,
      has: (id) => ids.has(id),
      toggle,
      selectAll: (every) => setIds(new Set(every)),
      clear: () => setIds(NO_IDS),
    }),
    [ids, toggle],
  );
}

function between(order: readonly string[], from: string | null, to: string): readonly string[] {
  const ends = [from === null ? -1 : order.indexOf(from), order.indexOf(to)];
  if (ends.includes(-1)) return [to];
  return order.slice(Math.min(...ends), Math.max(...ends) + 1);
}
