// callMutation, callRead and reconcileMutation with tools that misbehave.
import { expect, test } from 'vitest';
import { z } from 'zod';
import { callMutation, callRead, reconcileMutation } from '#main/tools/call-tool.ts';
import { createTools } from '#main/tools/registry.ts';
import type { MutationMethod, MutationOutcome, ReadOutcome, Tool } from '#main/tools/tool.ts';
import { tempFolder } from '#test/support/temp-folder.ts';
import { SECRET_VALUE, testHost } from '#test/tools/call-host.ts';

type Context = Parameters<MutationMethod['call']>[0];

/** A tool whose methods the test supplies. */
function toolThat(parts: {
  read?: () => Promise<ReadOutcome>;
  act?: (context: Context) => Promise<MutationOutcome>;
  reconcile?: NonNullable<MutationMethod['reconcile']>;
}): { odd: Tool } {
  const params = z.strictObject({ list: z.array(z.strictObject({ n: z.int() })).optional() });
  const describe = (): string => 'Does something odd';
  const nothing = async (): Promise<never> => Promise.reject(new Error('not written'));
  return {
    odd: {
      namespace: 'odd',
      grant: z.strictObject({}).meta({ examples: [{}] }),
      describeGrant: () => 'may be odd',
      methods: {
        read: { kind: 'read', params, describe, call: parts.read ?? nothing },
        act: {
          kind: 'mutation',
          params,
          describe,
          call: parts.act ?? nothing,
          howToCheck: () => 'Look around.',
          ...(parts.reconcile && { reconcile: parts.reconcile }),
        },
      },
    },
  };
}

const ACT = { namespace: 'odd', method: 'act', params: {}, grant: {}, effectId: 'e1' };
const READ = { namespace: 'odd', method: 'read', params: {}, grant: {} };

function resultThat(result: unknown): { odd: Tool } {
  return toolThat({
    read: async () => ({ type: 'ok', result: result as never }),
    act: async () => ({ type: 'applied', result: result as never }),
    reconcile: async () => ({ type: 'happened', result: result as never }),
  });
}

const cycle: { self?: unknown } = {};
cycle.self = cycle;
const UNSERIALISABLE: [string, unknown][] = [
  ['a cycle', cycle],
  ['a BigInt', { n: 1n }],
  ['a function', () => 1],
  ['10 MiB', 'x'.repeat(10 * 1024 * 1024)],
  ['half a character', { text: '\ud800' }],
  ['a forbidden key', JSON.parse('{"__proto__":1}')],
  ['too deep', JSON.parse('['.repeat(200) + ']'.repeat(200))],
  [
    'a toJSON that throws',
    {
      toJSON: () => {
        throw new Error('no');
      },
    },
  ],
];

test.each(UNSERIALISABLE)(
  '[TL-11] a mutation with %s as result is still applied, and a read with it fails',
  async (_, result) => {
    const tools = resultThat(result);
    const applied = await callMutation(tools, ACT, testHost());
    expect(applied).toMatchObject({
      type: 'applied',
      result: { note: expect.stringMatching(/^It went through\./) },
    });
    const happened = await reconcileMutation(tools, { ...ACT, sentAt: 0 }, testHost());
    expect(happened).toMatchObject({
      type: 'happened',
      result: { note: expect.stringMatching(/^It went through\./) },
    });
    const read = await callRead(tools, READ, testHost());
    expect(read).toMatchObject({ type: 'failed', errorType: 'logic' });
  },
);

test('[TL-11] undefined becomes null, and properties that JSON cannot hold are dropped', async () => {
  expect(await callMutation(resultThat(undefined), ACT, testHost())).toEqual({
    type: 'applied',
    result: null,
  });
  const outcome = await callMutation(
    resultThat({ a: undefined, b: Number.NaN, c: [undefined] }),
    ACT,
    testHost(),
  );
  expect(outcome).toEqual({ type: 'applied', result: { b: null, c: [null] } });
});

test('[TL-3] an exception makes a mutation ambiguous, a read failed and a reconcile unknown', async () => {
  const thrower = async (): Promise<never> =>
    Promise.reject(new Error(`broke with ${SECRET_VALUE}`));
  const tools = toolThat({ act: thrower, read: thrower, reconcile: thrower });
  const host = testHost();
  host.masker.learn('token', SECRET_VALUE);
  const acted = await callMutation(tools, ACT, host);
  expect(acted).toEqual({ type: 'ambiguous', error: expect.stringContaining('•••(token)') });
  const read = await callRead(tools, READ, host);
  expect(read).toMatchObject({
    type: 'failed',
    errorType: 'internal',
    error: expect.stringContaining('•••(token)'),
  });
  const asked = await reconcileMutation(tools, { ...ACT, sentAt: 0 }, host);
  expect(asked).toEqual({ type: 'unknown', error: expect.stringContaining('•••(token)') });
  const odd = toolThat({
    act: async () => {
      throw 'a text';
    },
  });
  expect((await callMutation(odd, ACT, host)).type).toBe('ambiguous');
});

test('[TL-3] a missing secret is an auth failure, and a reconcile without it is unknown', async () => {
  const tools = toolThat({
    act: async ({ secret }) => ({ type: 'applied', result: await secret('nobody') }),
    reconcile: async ({ secret }) => ({ type: 'happened', result: await secret('nobody') }),
  });
  const outcome = await callMutation(tools, ACT, testHost());
  expect(outcome).toMatchObject({
    type: 'failed',
    errorType: 'auth',
    error: expect.stringContaining('"nobody"'),
  });
  expect((await reconcileMutation(tools, { ...ACT, sentAt: 0 }, testHost())).type).toBe('unknown');
});

test('[SE-2] a secret is masked in keys, values and encoded forms of a result', async () => {
  const leaky = toolThat({
    act: async ({ secret }) => {
      const value = await secret('token');
      const header = `Basic ${Buffer.from(`me:${value}`).toString('base64')}`;
      return { type: 'applied', result: { [value]: [`key=${encodeURIComponent(value)}`, header] } };
    },
  });
  const outcome = await callMutation(leaky, ACT, testHost());
  expect(JSON.stringify(outcome)).not.toMatch(/sesame|c2VzYW1|NlYW1l|zZXNhbW/);
  expect(outcome).toMatchObject({
    result: { '•••(token)': [expect.stringContaining('•••(token)'), expect.any(String)] },
  });
});

test('[TL-2] the error names the unknown tool, method or field', async () => {
  const tools = resultThat(1);
  const cases: [object, RegExp][] = [
    [{ namespace: 'nope' }, /"nope".*Available: odd/],
    [{ namespace: 'constructor' }, /"constructor"/],
    [{ method: 'nope' }, /"odd\.nope".*odd\.read, odd\.act/],
    [{ method: 'toString' }, /"odd\.toString"/],
    [{ params: { list: [{ n: 1 }, { n: 'x' }] } }, /list\.1\.n/],
    [{ params: { more: 1 } }, /more/],
  ];
  for (const [change, sentence] of cases) {
    const outcome = await callMutation(tools, { ...ACT, ...change }, testHost());
    expect(outcome).toMatchObject({
      type: 'failed',
      errorType: 'logic',
      error: expect.stringMatching(sentence),
    });
  }
});

test('[TL-1] a missing grant is a permission failure that shows an example grant', async () => {
  const tools = createTools({ notifier: async () => {}, dataDir: tempFolder() });
  const call = {
    namespace: 'http',
    method: 'post',
    params: { url: 'https://x.example/' },
    effectId: 'e',
  };
  const outcome = await callMutation(tools, { ...call, grant: undefined }, testHost());
  expect(outcome).toMatchObject({
    type: 'failed',
    errorType: 'permission',
    error: expect.stringContaining('"http"'),
  });
  expect(outcome.type === 'failed' && outcome.error).toContain('{"hosts":["api.example.org"]}');
});

test('[TL-4] a method without reconcile stays unknown', async () => {
  const outcome = await reconcileMutation(toolThat({}), { ...ACT, sentAt: 0 }, testHost());
  expect(outcome.type).toBe('unknown');
});
