// Idempotency-Key: a repeated request is executed once and gets the stored reply.
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { IdempotencyKeys } from '#main/api/transport/idempotency-keys.ts';
import { isRepeatable } from '#main/api/transport/repeatable-calls.ts';
import { createSilentLog } from '#main/host/log.ts';
import { Database } from '#main/store/sqlite/database.ts';
import type { ApiResult } from '#shared/api/errors.ts';
import { IDEMPOTENCY_KEPT_MS, IDEMPOTENCY_UNKNOWN_KEPT_MS } from '#shared/limits.ts';
import { eventually } from '#test/support/eventually.ts';
import {
  callHeaders,
  errorOf,
  send,
  type Place,
  type Received,
} from '#test/support/http-client.ts';
import { openStore, type OpenStore } from '#test/support/open-store.ts';
import { serveHost } from '#test/support/child-processes.ts';
import { serveInProcess } from '#test/support/serve-in-process.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

function post(place: Place, call: string, key: string | null, input: unknown): Promise<Received> {
  const headers = {
    ...callHeaders(place.token),
    ...(key === null ? {} : { 'Idempotency-Key': key }),
  };
  const body = typeof input === 'string' ? input : JSON.stringify(input);
  return send(place.url, { method: 'POST', path: `/api/call/${call}`, headers, body });
}

const CREATE = 'workflows.create';
const request = (n: number): object => ({ requestId: `r${n}`, name: `n${n}` });

describe('over HTTP', () => {
  test('[IK-1] the same key and body gets the first reply, byte for byte', async () => {
    const place = await serveInProcess();
    const first = await post(place, CREATE, 'k', request(1));
    const { workflows } = place.host.stores;
    workflows.setStatus((JSON.parse(first.text) as { output: { id: string } }).output.id, 'paused');
    const again = await post(place, CREATE, 'k', request(1));
    expect([again.status, again.text]).toEqual([first.status, first.text]);
    expect(first.headers['idempotency-replayed']).toBeUndefined();
    expect(again.headers['idempotency-replayed']).toBe('true');
    // Without a key the call is made again.
    expect((await post(place, CREATE, null, request(1))).text).not.toBe(first.text);
  });

  test('[IK-1] an error reply is stored and replayed', async () => {
    const place = await serveInProcess();
    const first = await post(place, 'workflows.get', 'k', { workflowId: 'none' });
    expect(first.status).toBe(404);
    const again = await post(place, 'workflows.get', 'k', { workflowId: 'none' });
    expect([again.status, again.text]).toEqual([404, first.text]);
    expect(again.headers['idempotency-replayed']).toBe('true');
  });

  test('[IK-2] the same key with another body or call is refused with 409 and changes nothing', async () => {
    const place = await serveInProcess();
    await post(place, CREATE, 'k', request(1));
    for (const [call, body] of [
      [CREATE, request(2)],
      [CREATE, ` ${JSON.stringify(request(1))}`],
      ['workflows.list', request(1)],
    ] as const) {
      const refused = await post(place, call, 'k', body);
      expect(refused.status).toBe(409);
      expect(errorOf(refused)).toMatchObject({
        type: 'conflict',
        reason: 'idempotency_key_reused',
      });
      expect(errorOf(refused).message).toContain('Nothing was changed');
    }
    expect(place.host.stores.workflows.list({ limit: 10 }).workflows.length).toBe(1);
  });

  test('[IK-3] concurrent requests with one key are executed once and get one reply', async () => {
    const place = await serveInProcess();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => post(place, 'devices.invite', 'k', {})),
    );
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
    expect(
      answers.filter(({ headers }) => headers['idempotency-replayed'] === undefined).length,
    ).toBe(1);
    expect((await post(place, 'devices.invite', 'other', {})).text).not.toBe(answers[0]?.text);
  });

  test('[IK-4] an invalid key is refused and changes nothing', async () => {
    const place = await serveInProcess();
    for (const key of ['', ' ', 'a b', 'ä', 'x'.repeat(256)]) {
      const refused = await post(place, CREATE, key, request(1));
      expect(refused.status, key).toBe(400);
      expect(errorOf(refused).message).toContain('Idempotency-Key');
    }
    expect((await post(place, CREATE, 'x'.repeat(255), request(1))).status).toBe(200);
    expect(place.host.stores.workflows.list({ limit: 10 }).workflows.length).toBe(1);
  });

  test('[IK-4] the token is checked before the key', async () => {
    const place = await serveInProcess();
    await post(place, CREATE, 'k', request(1));
    const unauthorized = await post({ ...place, token: 'wrong' }, CREATE, 'k', request(1));
    expect(unauthorized.status).toBe(401);
  });

  test('[IK-5] the stored reply is not readable in the database', async () => {
    const place = await serveInProcess();
    const { text } = await post(place, 'devices.invite', 'k', {});
    const { link } = (JSON.parse(text) as { output: { link: string } }).output;
    expect(link.length).toBeGreaterThan(20);
    const rows = place.host.folder.db.all<{ answer: Buffer; body_hash: string }>(
      'SELECT * FROM idempotency_keys',
    );
    expect(rows.length).toBe(1);
    expect(rows[0]?.answer.includes(link.slice(-20))).toBe(false);
    expect(rows[0]?.answer.includes('output')).toBe(false);
  });
});

interface Keyed {
  readonly keys: IdempotencyKeys;
  readonly store: OpenStore;
}

function openKeys(store = openStore(), secret = 'token'): Keyed {
  const { clock } = store;
  const options = { store: store.idempotencyKeys, clock, secret, log: createSilentLog() };
  return { keys: new IdempotencyKeys(options), store };
}

const keyed = (
  call: string,
  input: object = {},
  key = 'k',
): Parameters<IdempotencyKeys['answer']>[0] => ({
  key,
  call,
  body: JSON.stringify(input),
  input,
});

/** A call that counts its executions. */
function countedCall(result: ApiResult<unknown> = { ok: true, output: 1 }): {
  call: () => Promise<ApiResult<unknown>>;
  count: () => number;
} {
  let count = 0;
  return { call: async () => ((count += 1), result), count: () => count };
}

const never = (): Promise<never> => new Promise(() => undefined);

describe('while the first request is in progress', () => {
  test('[IK-3] a second one waits, and gets in_progress after the timeout', async () => {
    const { keys, store } = openKeys();
    void keys.answer(keyed('devices.unpair'), never);
    const other = countedCall();
    const second = keys.answer(keyed('devices.unpair'), other.call);
    await eventually(async () => {
      await store.clock.advance(30_000);
      expect(await Promise.race([second, Promise.resolve('waits')])).toMatchObject({
        result: { ok: false, error: { type: 'conflict', reason: 'in_progress' } },
      });
    });
    expect(other.count()).toBe(0);
  });

  test('[IK-2] [IK-3] a request with another body is refused without waiting', async () => {
    const { keys } = openKeys();
    void keys.answer(keyed('devices.unpair'), never);
    const { result } = await keys.answer(keyed('devices.unpair', { deviceId: 'x' }), never);
    expect(result).toMatchObject({ error: { reason: 'idempotency_key_reused' } });
  });

  test('[IK-6] the key is stored before the call is made', async () => {
    const { keys, store } = openKeys();
    const statuses: unknown[] = [];
    await keys.answer(keyed('devices.unpair'), async () => {
      const other = new Database(store.path, { readonly: true });
      statuses.push(other.value('SELECT status FROM idempotency_keys'));
      other.close();
      return { ok: true, output: 1 };
    });
    expect(statuses).toEqual(['begun']);
    expect(store.db.value('SELECT status FROM idempotency_keys')).toBe('answered');
  });
});

describe('after a crash between call and stored reply', () => {
  test('[IK-6] a call that is not repeatable gives outcome_unknown and is not made again', async () => {
    const { keys, store } = openKeys();
    const first = countedCall();
    void keys.answer(keyed('devices.unpair'), async () => {
      await first.call();
      return never();
    });
    await eventually(() => expect(first.count()).toBe(1));
    const second = countedCall();
    for (const restart of [1, 2, 3]) {
      const { result } = await openKeys(store).keys.answer(keyed('devices.unpair'), second.call);
      expect(result, String(restart)).toMatchObject({
        ok: false,
        error: { type: 'conflict', reason: 'outcome_unknown' },
      });
    }
    expect(second.count()).toBe(0);
  });

  test('[IK-6] a read, or a call with its own id, is made again once', async () => {
    for (const question of [keyed(CREATE, request(1)), keyed('workflows.list')]) {
      const { keys, store } = openKeys();
      void keys.answer(question, never);
      await eventually(() => expect(store.idempotencyKeys.get('k')).toBeDefined());
      const second = countedCall();
      const { keys: later } = openKeys(store);
      expect((await later.answer(question, second.call)).result).toEqual({ ok: true, output: 1 });
      expect((await later.answer(question, second.call)).isReplay).toBe(true);
      expect(second.count()).toBe(1);
      const other = await later.answer(keyed(CREATE, request(2)), second.call);
      expect(other.result).toMatchObject({ error: { reason: 'idempotency_key_reused' } });
    }
  });

  test('[IK-6] isRepeatable is true for reads and for calls with an id of the contract', () => {
    expect(isRepeatable('runs.start', { startRequestId: 'x' })).toBe(true);
    expect(isRepeatable('runs.start', {})).toBe(false);
    expect(isRepeatable('devices.compare.get', {})).toBe(true);
    // The id must be a field of this call's input.
    expect(isRepeatable('devices.unpair', { requestId: 'x' })).toBe(false);
    expect(isRepeatable('devices.join', null)).toBe(false);
  });

  test('[IK-6] a host killed during a call reports outcome_unknown and does not repeat it', async () => {
    const dataDir = tempFolder();
    // A peer that never replies keeps the call in progress.
    const silent = createServer();
    await new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void silent.close());
    const reached = new Promise((resolve) => void silent.once('connection', resolve));
    const input = { addresses: [`127.0.0.1:${(silent.address() as AddressInfo).port}`] };
    const links = ['--link-host', '127.0.0.1', '--link-port', '0'];

    const before = await serveHost(dataDir, links);
    const cut = post(before, 'devices.compare.start', 'k', input).catch(() => 'cut');
    await reached;
    before.child.kill('SIGKILL');
    expect(await cut).toBe('cut');

    const after = await serveHost(dataDir, links);
    let connections = 0;
    silent.on('connection', () => (connections += 1));
    const answer = await post(after, 'devices.compare.start', 'k', input);
    expect(answer.status).toBe(409);
    expect(errorOf(answer)).toMatchObject({ reason: 'outcome_unknown' });
    expect(errorOf(answer).message).toContain('unknown');
    expect(connections).toBe(0);
  });
});

describe('stored keys', () => {
  test('[IK-7] a reply is kept for 48 hours, an unknown outcome for 30 days', async () => {
    const { keys, store } = openKeys();
    const first = countedCall();
    await keys.answer(keyed(CREATE, request(1)), first.call);
    void keys.answer(keyed('devices.unpair', {}, 'open'), never);
    await store.clock.advance(IDEMPOTENCY_KEPT_MS - 1000);
    await keys.answer(keyed('workflows.list', {}, 'sweep-1'), first.call);
    expect((await keys.answer(keyed(CREATE, request(1)), first.call)).isReplay).toBe(true);
    await store.clock.advance(IDEMPOTENCY_KEPT_MS);
    await keys.answer(keyed('workflows.list', {}, 'sweep-2'), first.call);
    expect(store.idempotencyKeys.get('k')).toBeUndefined();
    expect(store.idempotencyKeys.get('open')).toBeDefined();
    await store.clock.advance(IDEMPOTENCY_UNKNOWN_KEPT_MS);
    await keys.answer(keyed('workflows.list', {}, 'sweep-3'), first.call);
    expect(store.idempotencyKeys.get('open')).toBeUndefined();
  });

  test('[IK-8] a transient error is not stored, and the key can be used again', async () => {
    for (const type of ['busy', 'storage_full', 'too_many'] as const) {
      const { keys } = openKeys();
      const busy = countedCall({ ok: false, error: { type, message: 'Try again.' } });
      expect((await keys.answer(keyed('devices.unpair'), busy.call)).result.ok).toBe(false);
      const second = countedCall();
      expect((await keys.answer(keyed('devices.unpair'), second.call)).result.ok).toBe(true);
      expect(second.count()).toBe(1);
    }
  });

  test('[IK-8] a reply that cannot be stored stays in memory, and the call is made once', async () => {
    const { keys, store } = openKeys();
    const first = countedCall();
    const { call } = first;
    const failing = async (): Promise<ApiResult<unknown>> => {
      store.db.exec(`CREATE TEMP TRIGGER full BEFORE UPDATE ON idempotency_keys
        BEGIN SELECT RAISE(ABORT, 'no room'); END`);
      return call();
    };
    expect((await keys.answer(keyed('devices.unpair'), failing)).result.ok).toBe(true);
    const again = await keys.answer(keyed('devices.unpair'), call);
    expect(again).toEqual({ result: { ok: true, output: 1 }, isReplay: true });
    expect(first.count()).toBe(1);
  });

  test('[IK-8] while the database is locked the call is not made, and the key stays free', async () => {
    const { keys, store } = openKeys(openStore('device-a', undefined, { busyTimeoutMs: 10 }));
    const other = new Database(store.path);
    onTestFinished(() => other.close());
    other.exec('BEGIN IMMEDIATE');
    const first = countedCall();
    const { result } = await keys.answer(keyed('devices.unpair'), first.call);
    expect(result).toMatchObject({ ok: false, error: { type: 'busy' } });
    expect(first.count()).toBe(0);
    other.exec('ROLLBACK');
    expect((await keys.answer(keyed('devices.unpair'), first.call)).result.ok).toBe(true);
  });

  test('[IK-5] with another token the request is a conflict and the call is not made', async () => {
    const { keys, store } = openKeys();
    const first = countedCall();
    await keys.answer(keyed(CREATE, request(1)), first.call);
    store.db.exec('DROP TRIGGER idempotency_keys_answer_stays');
    // The body hash is keyed too, so the same body looks different.
    const { result } = await openKeys(store, 'other').keys.answer(
      keyed(CREATE, request(1)),
      first.call,
    );
    expect(result).toMatchObject({ ok: false, error: { type: 'conflict' } });
    expect(first.count()).toBe(1);
  });

  test('[IK-1] a stored reply cannot be changed', async () => {
    const { keys, store } = openKeys();
    await keys.answer(keyed(CREATE, request(1)), countedCall().call);
    expect(() => store.db.run(`UPDATE idempotency_keys SET answer = x'00'`)).toThrow('immutable');
    expect(() => store.idempotencyKeys.answer('k', new Uint8Array(1))).toThrow('never recorded');
  });
});
