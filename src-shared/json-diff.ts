// The differences between two JSON values by path: which places were added, removed or replaced.
// Arrays are compared by index.
import type { Json } from '#shared/json.ts';

export type JsonPath = readonly (string | number)[];

export type JsonChange =
  | { readonly path: JsonPath; readonly type: 'added'; readonly after: Json }
  | { readonly path: JsonPath; readonly type: 'removed'; readonly before: Json }
  | {
      readonly path: JsonPath;
      readonly type: 'replaced';
      readonly before: Json;
      readonly after: Json;
    };

export function jsonDiff(before: Json, after: Json, path: JsonPath = []): JsonChange[] {
  if (Object.is(before, after)) return [];
  if (Array.isArray(before) && Array.isArray(after)) return listDiff(before, after, path);
  if (isObject(before) && isObject(after)) return objectDiff(before, after, path);
  return [{ path, type: 'replaced', before, after }];
}

/** Formats a path as `orders[3].state`. */
export function pathText(path: JsonPath): string {
  return path
    .map((step, index) => {
      if (typeof step === 'number') return `[${step}]`;
      if (!/^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(step)) return `[${JSON.stringify(step)}]`;
      return index === 0 ? step : `.${step}`;
    })
    .join('');
}

function listDiff(before: readonly Json[], after: readonly Json[], path: JsonPath): JsonChange[] {
  return Array.from({ length: Math.max(before.length, after.length) }, (_, index) =>
    oneDiff(before[index], after[index], [...path, index]),
  ).flat();
}

type JsonRecord = Readonly<Record<string, Json>>;

function objectDiff(before: JsonRecord, after: JsonRecord, path: JsonPath): JsonChange[] {
  const added = Object.keys(after).filter((key) => !Object.hasOwn(before, key));
  return [...Object.keys(before), ...added].flatMap((key) =>
    oneDiff(ownValue(before, key), ownValue(after, key), [...path, key]),
  );
}

const ownValue = (record: JsonRecord, key: string): Json | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined;

function oneDiff(before: Json | undefined, after: Json | undefined, path: JsonPath): JsonChange[] {
  if (before === undefined && after === undefined) return [];
  if (before === undefined) return [{ path, type: 'added', after: after as Json }];
  if (after === undefined) return [{ path, type: 'removed', before }];
  return jsonDiff(before, after, path);
}

const isObject = (value: Json): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
