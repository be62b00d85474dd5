import { describe, expect, it } from 'vitest';
import { readCalls } from '#main/sandbox/host-calls.ts';
import type { PhaseRequest } from '#main/sandbox/sandbox.ts';
import { isDeeper } from '#main/boundary/json-depth.ts';

const request = { tools: { http: ['get'] } } as unknown as PhaseRequest;
const read = (...calls: unknown[]) => readCalls(JSON.stringify(calls), request);

describe('messages of a thread', () => {
  it('[SB-1] readCalls accepts only calls that the phase may make', () => {
    const good = [
      { op: 'tool', namespace: 'http', method: 'get', params: {} },
      { op: 'peek', topic: 'a', limit: 1 },
      { op: 'publish', topic: 'a', event: {} },
      { op: 'complete', result: null },
      { op: 'registerInput', input: {} },
    ];
    expect(read(...good)).toEqual(good);
    for (const bad of [
      { op: 'tool', namespace: 'http', method: 'post', params: {} },
      { op: 'tool', namespace: 'mail', method: 'get', params: {} },
      { op: 'tool', namespace: 'toString', method: 'length', params: {} },
      { op: 'tool', namespace: 'http', method: 'get' },
      { op: 'peek', topic: 'a', limit: 0.5 },
      { op: 'peek', topic: 5, limit: 1 },
      { op: 'publish', topic: 'a' },
      { op: 'complete' },
      { op: 'registerInput' },
      { op: 'exit' },
      {},
      null,
      5,
    ]) {
      expect(read(good[0], bad), JSON.stringify(bad)).toBeUndefined();
    }
    expect(readCalls('{}', request)).toBeUndefined();
  });

  it('[SB-7] isDeeper counts the nesting of JSON text and ignores brackets in strings', () => {
    const nested = (depth: number): string =>
      `${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`;
    expect(isDeeper(nested(100), 100)).toBe(false);
    expect(isDeeper(nested(102), 100)).toBe(true);
    expect(isDeeper(JSON.stringify(['['.repeat(500), '\\"{{{'.repeat(200)]), 3)).toBe(false);
    expect(isDeeper(JSON.stringify(Array.from({ length: 500 }, () => [{}])), 3)).toBe(false);
  });
});
