import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { canonicalJson, type Json } from '#shared/json.ts';
import { jsonDiff, pathText, type JsonChange, type JsonPath } from '#shared/json-diff.ts';

/** Applies the changes to a copy. Removals from arrays run from the end. */
function apply(before: Json, changes: readonly JsonChange[]): Json {
  const box = { value: structuredClone(before) };
  const removedLast = changes.toSorted(
    (a, b) => Number(a.type === 'removed') - Number(b.type === 'removed'),
  );
  const inOrder = [
    ...removedLast.filter(({ type }) => type !== 'removed'),
    ...removedLast.filter(({ type }) => type === 'removed').toReversed(),
  ];
  for (const change of inOrder) put(box, ['value', ...change.path], change);
  return box.value;
}

function put(root: object, path: JsonPath, change: JsonChange): void {
  let place = root as Record<string | number, unknown>;
  for (const step of path.slice(0, -1)) place = place[step] as Record<string | number, unknown>;
  const last = path.at(-1) ?? '';
  if (change.type !== 'removed') {
    Object.defineProperty(place, last, {
      value: structuredClone(change.after),
      writable: true,
      enumerable: true,
      configurable: true,
    });
  } else if (Array.isArray(place)) place.splice(Number(last), 1);
  else delete place[last];
}

describe('jsonDiff', () => {
  it('[DX-5] lists added, removed and replaced values by path', () => {
    const before = { sent: 1, last: 'a', list: [1, 2, 3], gone: null };
    const after = { sent: 2, last: 'a', list: [1, 9], 'odd key': {} };
    expect(jsonDiff(before, after).map((one) => [one.type, pathText(one.path)])).toEqual([
      ['replaced', 'sent'],
      ['replaced', 'list[1]'],
      ['removed', 'list[2]'],
      ['removed', 'gone'],
      ['added', '["odd key"]'],
    ]);
    expect(jsonDiff(null, { a: 1 })).toEqual([
      { path: [], type: 'replaced', before: null, after: { a: 1 } },
    ]);
    expect(jsonDiff({ a: [] }, { a: {} })).toMatchObject([{ path: ['a'], type: 'replaced' }]);
  });

  test.prop([fc.jsonValue(), fc.jsonValue()])(
    '[DX-5] applying the diff gives the other value, and equal values have no diff',
    (a, b) => {
      const [before, after] = [a, b].map((one) => JSON.parse(JSON.stringify(one)) as Json) as [
        Json,
        Json,
      ];
      expect(canonicalJson(apply(before, jsonDiff(before, after)))).toBe(canonicalJson(after));
      expect(jsonDiff(before, structuredClone(before))).toEqual([]);
    },
  );
});
