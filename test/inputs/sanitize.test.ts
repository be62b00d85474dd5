// The payload that workflows get, and the record of its source.
import { describe, expect, it } from 'vitest';
import { sanitizedPayload, sourcesOf } from '#main/input-lifecycle/sanitize.ts';
import type { Input } from '#main/store/tables/trigger-events.ts';

const INPUT: Input = {
  id: 'i1',
  workflowId: 'w1',
  kind: 'webhook',
  triggerId: 'h1',
  dedupKey: 'k1',
  source: 'orders',
  type: 'push',
  externalId: 'delivery-1',
  title: 'Push',
  topic: 'in',
  redactPaths: [],
  redacted: [{ path: '$.token', why: 'secret-name' }],
  correlationId: 'c1',
  bytes: 10,
  sha256: 'a'.repeat(64),
  deviceId: 'this-device',
  createdAt: 1_700_000_000_000,
};

describe('sanitized payload', () => {
  it('[IG-7] a row of this device is used as stored', () => {
    const stored = { password: 'only a peer would store this' };
    const sanitized = sanitizedPayload(INPUT, stored, 'this-device');
    expect(sanitized).toEqual({ value: stored, redacted: INPUT.redacted });
  });

  it('[IG-7] a row of a peer is sanitized again, and both redactions are listed', () => {
    const { value, redacted } = sanitizedPayload(INPUT, { password: 'hunter2' }, 'another-device');
    expect(JSON.stringify(value)).not.toContain('hunter2');
    expect(redacted.map(({ path }) => path)).toEqual(['$.token', '$.password']);
  });
});

describe('source ledger', () => {
  it('[RD-9] has the source, when it was received, its size and its hash, and nothing else', () => {
    expect(sourcesOf(INPUT)).toEqual([
      {
        source: 'orders',
        type: 'push',
        id: 'delivery-1',
        receivedAt: 1_700_000_000_000,
        bytes: 10,
        sha256: 'a'.repeat(64),
      },
    ]);
  });
});
