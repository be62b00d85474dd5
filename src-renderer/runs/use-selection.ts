// Selected runs by id. Rows that leave the list stay selected, and the bar always shows how many
// there are.
import { useCallback, useMemo, useRef, useState } from 'react';

export interface Selection {
  readonly ids: ReadonlySet<string>;
  has(id: string): boolean;
  /** With `through`, selects the range from the last selected row. */
  toggle(id: string, order: readonly string[], through: boolean): void;
  all(ids: readonly string[]): void;
  clear(): void;
}

const NONE: ReadonlySet<string> = new Set();

export function useSelection(): Selection {
  const [ids, setIds] = useState(NONE);
  const last = useRef<string | null>(null);
  const toggle = useCallback<Selection['toggle']>((id, order, through) => {
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
      all: (every) => setIds(new Set(every)),
      clear: () => setIds(NONE),
    }),
    [ids, toggle],
  );
}

function between(order: readonly string[], from: string | null, to: string): readonly string[] {
  const ends = [from === null ? -1 : order.indexOf(from), order.indexOf(to)];
  if (ends.includes(-1)) return [to];
  return order.slice(Math.min(...ends), Math.max(...ends) + 1);
}
