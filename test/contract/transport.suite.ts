// The contract of every transport: one suite, run on each of them.
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { CALL_NAMES } from '#shared/api/contract.ts';
import type { ApiErrorType } from '#shared/api/errors.ts';
import type { FeedMessage } from '#shared/api/feed.ts';
import { MAX_REQUEST_BYTES } from '#shared/limits.ts';
import { fail, makeRuns, runEvent, succeed, type Call } from '#test/support/api-calls.ts';
import type { Mailbox } from '#test/support/mailbox.ts';

export interface Connection {
  readonly call: Call;
  /** Follows the feed until the test ends. */
  follow(): Promise<Mailbox<FeedMessage>>;
}

/** `connect` returns two clients of one host, which the tests share. */
export function transportContract(
  name: string,
  connect: () => Promise<{ readonly one: Connection; readonly other: Connection }>,
): void {
  describe(name, () => {
    test('[TR-1] carries a call and its answer', async () => {
      const { one } = await connect();
      const info = await succeed(one.call, 'host.info', {});
      expect(info.pid).toBeGreaterThan(0);
      const request = { requestId: randomUUID(), name: 'Ünïcode — 工作流 🪢 "quoted" \\ <b>' };
      const made = await succeed(one.call, 'workflows.create', request);
      expect(made.name).toBe(request.name);
      expect(await succeed(one.call, 'workflows.get', { workflowId: made.id })).toEqual(made);
    });

    test('[TR-1] knows every call of the contract, and refuses an unknown field in each', async () => {
      const { one } = await connect();
      for (const callName of CALL_NAMES) {
        const result = await one.call(callName, { more: 1 });
        expect(result, callName).toMatchObject({ ok: false, error: { type: 'invalid_input' } });
      }
    });

    test('[TR-1] carries an error with its type and message', async () => {
      const { one } = await connect();
      const { workflowId, ended } = await makeRuns(one.call);
      const request = { requestId: randomUUID(), name: 'First' };
      await succeed(one.call, 'workflows.create', request);
      const refused: [ApiErrorType, string, unknown, RegExp][] = [
        ['invalid_input', 'workflows.create', { requestId: 'r', name: '' }, /must not be empty/],
        ['invalid_input', 'host.info', null, /received null/],
        ['unknown_call', 'runs.destroy', {}, /"runs\.destroy"/],
        ['unknown_call', '__proto__', {}, /"__proto__"/],
        ['not_found', 'runs.get', { runId: 'nobody' }, /"nobody"/],
        [
          'illegal_transition',
          'runs.finish',
          { runId: ended.id, status: 'failed', terminalEventId: 'x' },
          /"completed"/,
        ],
        ['conflict', 'runs.start', { workflowId, startRequestId: 'third' }, /active session/],
        ['conflict', 'workflows.create', { ...request, name: 'Second' }, /"First"/],
      ];
      for (const [type, callName, input, message] of refused) {
        const error = await fail(one.call, callName, input);
        expect(error.type, callName).toBe(type);
        expect(error.message, callName).toMatch(message);
      }
    });

    test('[TR-1] a call without an input is invalid', async () => {
      const { one } = await connect();
      expect((await fail(one.call, 'host.info', undefined)).type).toBe('invalid_input');
    });

    test('[TR-1] carries a payload of 900 kB with non-ASCII text unchanged', async () => {
      const { one } = await connect();
      const { active, spaceId } = await makeRuns(one.call);
      const payload = {
        text: 'é🪢'.repeat(150_000),
        list: [0, -1.5, 1e300, null, true, { a: [] }],
      };
      const event = runEvent(active, spaceId, { payload });
      await succeed(one.call, 'runs.appendEvent', event);
      const { events } = await succeed(one.call, 'runs.fetchEvents', {
        runId: active.id,
        afterSeq: 1,
      });
      expect(events).toEqual([{ ...event, runSeq: 2, persistedAt: expect.any(String) }]);
    });

    test('[TR-2] an input of 10 MiB is refused as too large, and the host stays up', async () => {
      const { one, other } = await connect();
      const request = { requestId: randomUUID(), name: 'n', code: 'x'.repeat(10 * 1024 * 1024) };
      const error = await fail(one.call, 'workflows.create', request);
      expect(error.type).toBe('too_large');
      expect(error.message).toContain(`${MAX_REQUEST_BYTES}`);
      for (const { call } of [one, other]) await succeed(call, 'host.info', {});
      const { code: _, ...small } = request;
      expect((await succeed(one.call, 'workflows.create', small)).scriptId).toBeNull();
    });

    test('[TR-1] the feed sends hello, then the ids of changed rows', async () => {
      const { one } = await connect();
      const feed = await one.follow();
      await feed.until(({ type }) => type === 'hello');
      expect(feed.all).toEqual([{ type: 'hello' }]);
      const { workflowId, active } = await makeRuns(one.call);
      await feed.until(names('workflows', workflowId));
      await feed.until(names('script_runs', active.id));
      await feed.until(names('run_events', active.id));
      expect(feed.all.filter(({ type }) => type !== 'changes')).toEqual([{ type: 'hello' }]);
    });

    test('[TR-1] the feeds of two clients both report a change by one of them', async () => {
      const { one, other } = await connect();
      const feeds = [await one.follow(), await other.follow()];
      await Promise.all(feeds.map((feed) => feed.until(({ type }) => type === 'hello')));
      const request = { requestId: randomUUID(), name: 'n' };
      const { id } = await succeed(other.call, 'workflows.create', request);
      await Promise.all(feeds.map((feed) => feed.until(names('workflows', id))));
      expect((await succeed(one.call, 'workflows.get', { workflowId: id })).id).toBe(id);
    });

    test('[TR-1] 40 concurrent calls each get their own answer', async () => {
      const { one, other } = await connect();
      const requests = Array.from({ length: 40 }, (_, i) => ({
        requestId: randomUUID(),
        name: `n${i}`,
      }));
      const made = await Promise.all(
        requests.map((request, i) =>
          succeed((i % 2 ? one : other).call, 'workflows.create', request),
        ),
      );
      expect(made.map((workflow) => workflow.name)).toEqual(
        requests.map((request) => request.name),
      );
    });
  });
}

function names(table: string, id: string): (message: FeedMessage) => boolean {
  return (message) =>
    message.type === 'changes' &&
    message.changes.some((rows) => rows.table === table && rows.ids.includes(id));
}
