// The same request again, with the same key: one act, one answer.
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { IdempotencyKeys } from '#main/api/idempotency.ts';
import { isRepeatable } from '#main/api/repeatable.ts';
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
import { serveHost } from '#test/support/processes.ts';
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
  test('[IK-1] the same key and body gets the first answer, word for word', async () => {
    const place = await serveInProcess();
    const first = await post(place, CREATE, 'k', request(1));
    const renamed = place.host.stores.workflows;
    renamed.setStatus((JSON.parse(first.text) as { output: { id: string } }).output.id, 'paused');
    const again = await post(place, CREATE, 'k', request(1));
    expect([again.status, again.text]).toEqual([first.status, first.text]);
    expect(first.headers['idempotency-replayed']).toBeUndefined();
    expect(again.headers['idempotency-replayed']).toBe('true');
    // Without a key it is asked anew.
    expect((await post(place, CREATE, null, request(1))).text).not.toBe(first.text);
  });

  test('[IK-1] a refusal is an answer, too', async () => {
    const place = await serveInProcess();
    const first = await post(place, 'workflows.get', 'k', { workflowId: 'none' });
    expect(first.status).toBe(404);
    const again = await post(place, 'workflows.get', 'k', { workflowId: 'none' });
    expect([again.status, again.text]).toEqual([404, first.text]);
    expect(again.headers['idempotency-replayed']).toBe('true');
  });

  test('[IK-2] the same key with another body or call is refused with 409, and nothing is done', async () => {
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
      expect(errorOf(refused).message).toContain('Nothing was done');
    }
    expect(place.host.stores.workflows.list({ limit: 10 }).workflows.length).toBe(1);
  });

  test('[IK-3] many at once are one act, and all get its answer', async () => {
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

  test('[IK-4] a key that is none is refused, and nothing is done', async () => {
    const place = await serveInProcess();
    for (const key of ['', ' ', 'a b', 'ä', 'x'.repeat(256)]) {
      const refused = await post(place, CREATE, key, request(1));
      expect(refused.status, key).toBe(400);
      expect(errorOf(refused).message).toContain('Idempotency-Key');
    }
    expect((await post(place, CREATE, 'x'.repeat(255), request(1))).status).toBe(200);
    expect(place.host.stores.workflows.list({ limit: 10 }).workflows.length).toBe(1);
  });

  test('[IK-4] the token is asked for first', async () => {
    const place = await serveInProcess();
    await post(place, CREATE, 'k', request(1));
    const stranger = await post({ ...place, token: 'wrong' }, CREATE, 'k', request(1));
    expect(stranger.status).toBe(401);
  });

  test('[IK-5] neither answer nor body can be read in the database', async () => {
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

const asked = (
  call: string,
  input: object = {},
  key = 'k',
): Parameters<IdempotencyKeys['answer']>[0] => ({
  key,
  call,
  body: JSON.stringify(input),
  input,
});

/** Counts how often it acts. */
function acts(result: ApiResult<unknown> = { ok: true, output: 1 }): {
  act: () => Promise<ApiResult<unknown>>;
  count: () => number;
} {
  let count = 0;
  return { act: async () => ((count += 1), result), count: () => count };
}

const never = (): Promise<never> => new Promise(() => undefined);

describe('while the first is at work', () => {
  test('[IK-3] the second waits, and after its time is told so', async () => {
    const { keys, store } = openKeys();
    void keys.answer(asked('devices.unpair'), never);
    const other = acts();
    const second = keys.answer(asked('devices.unpair'), other.act);
    await eventually(async () => {
      await store.clock.advance(30_000);
      expect(await Promise.race([second, Promise.resolve('waits')])).toMatchObject({
        result: { ok: false, error: { type: 'conflict', reason: 'in_progress' } },
      });
    });
    expect(other.count()).toBe(0);
  });

  test('[IK-2] [IK-3] another body does not wait', async () => {
    const { keys } = openKeys();
    void keys.answer(asked('devices.unpair'), never);
    const { result } = await keys.answer(asked('devices.unpair', { deviceId: 'x' }), never);
    expect(result).toMatchObject({ error: { reason: 'idempotency_key_reused' } });
  });

  test('[IK-6] nothing is done before the key is on disk', async () => {
    const { keys, store } = openKeys();
    const seen: unknown[] = [];
    await keys.answer(asked('devices.unpair'), async () => {
      const other = new Database(store.path, { readonly: true });
      seen.push(other.value('SELECT status FROM idempotency_keys'));
      other.close();
      return { ok: true, output: 1 };
    });
    expect(seen).toEqual(['begun']);
    expect(store.db.value('SELECT status FROM idempotency_keys')).toBe('answered');
  });
});

describe('after a crash between act and answer', () => {
  test('[IK-6] what cannot be repeated is said to be unknown, for good, and not done again', async () => {
    const { keys, store } = openKeys();
    const first = acts();
    void keys.answer(asked('devices.unpair'), async () => {
      await first.act();
      return never();
    });
    await eventually(() => expect(first.count()).toBe(1));
    const second = acts();
    for (const restart of [1, 2, 3]) {
      const { result } = await openKeys(store).keys.answer(asked('devices.unpair'), second.act);
      expect(result, String(restart)).toMatchObject({
        ok: false,
        error: { type: 'conflict', reason: 'outcome_unknown' },
      });
    }
    expect(second.count()).toBe(0);
  });

  test('[IK-6] what is known by an id of its own, and what only reads, is done again', async () => {
    for (const question of [asked(CREATE, request(1)), asked('workflows.list')]) {
      const { keys, store } = openKeys();
      void keys.answer(question, never);
      await eventually(() => expect(store.idempotencyKeys.get('k')).toBeDefined());
      const second = acts();
      const { keys: later } = openKeys(store);
      expect((await later.answer(question, second.act)).result).toEqual({ ok: true, output: 1 });
      expect((await later.answer(question, second.act)).isReplay).toBe(true);
      expect(second.count()).toBe(1);
      const other = await later.answer(asked(CREATE, request(2)), second.act);
      expect(other.result).toMatchObject({ error: { reason: 'idempotency_key_reused' } });
    }
  });

  test('[IK-6] which calls those are', () => {
    expect(isRepeatable('runs.start', { startRequestId: 'x' })).toBe(true);
    expect(isRepeatable('runs.start', {})).toBe(false);
    expect(isRepeatable('devices.compare.get', {})).toBe(true);
    // An id that the call does not know makes nothing repeatable.
    expect(isRepeatable('devices.unpair', { requestId: 'x' })).toBe(false);
    expect(isRepeatable('devices.join', null)).toBe(false);
  });

  test('[IK-6] kill -9 of a real host in the middle of a call', async () => {
    const dataDir = tempFolder();
    // A device that never says a word: the call waits for it.
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
    let dialled = 0;
    silent.on('connection', () => (dialled += 1));
    const answer = await post(after, 'devices.compare.start', 'k', input);
    expect(answer.status).toBe(409);
    expect(errorOf(answer)).toMatchObject({ reason: 'outcome_unknown' });
    expect(errorOf(answer).message).toContain('unknown');
    expect(dialled).toBe(0);
  });
});

describe('what is kept', () => {
  test('[IK-7] an answer for 48 hours, an open question for 30 days', async () => {
    const { keys, store } = openKeys();
    const first = acts();
    await keys.answer(asked(CREATE, request(1)), first.act);
    void keys.answer(asked('devices.unpair', {}, 'open'), never);
    await store.clock.advance(IDEMPOTENCY_KEPT_MS - 1000);
    await keys.answer(asked('workflows.list', {}, 'sweep-1'), first.act);
    expect((await keys.answer(asked(CREATE, request(1)), first.act)).isReplay).toBe(true);
    await store.clock.advance(IDEMPOTENCY_KEPT_MS);
    await keys.answer(asked('workflows.list', {}, 'sweep-2'), first.act);
    expect(store.idempotencyKeys.get('k')).toBeUndefined();
    expect(store.idempotencyKeys.get('open')).toBeDefined();
    await store.clock.advance(IDEMPOTENCY_UNKNOWN_KEPT_MS);
    await keys.answer(asked('workflows.list', {}, 'sweep-3'), first.act);
    expect(store.idempotencyKeys.get('open')).toBeUndefined();
  });

  test('[IK-8] "try again" is no answer: the key stays free', async () => {
    for (const type of ['busy', 'storage_full', 'too_many'] as const) {
      const { keys } = openKeys();
      const busy = acts({ ok: false, error: { type, message: 'Try again.' } });
      expect((await keys.answer(asked('devices.unpair'), busy.act)).result.ok).toBe(false);
      const second = acts();
      expect((await keys.answer(asked('devices.unpair'), second.act)).result.ok).toBe(true);
      expect(second.count()).toBe(1);
    }
  });

  test('[IK-8] an answer that cannot be written down is remembered, and not acted on twice', async () => {
    const { keys, store } = openKeys();
    const first = acts();
    const { act } = first;
    const failing = async (): Promise<ApiResult<unknown>> => {
      store.db.exec(`CREATE TEMP TRIGGER full BEFORE UPDATE ON idempotency_keys
        BEGIN SELECT RAISE(ABORT, 'no room'); END`);
      return act();
    };
    expect((await keys.answer(asked('devices.unpair'), failing)).result.ok).toBe(true);
    const again = await keys.answer(asked('devices.unpair'), act);
    expect(again).toEqual({ result: { ok: true, output: 1 }, isReplay: true });
    expect(first.count()).toBe(1);
  });

  test('[IK-8] while the database is held by another, nothing is done and the key is free', async () => {
    const { keys, store } = openKeys(openStore('device-a', undefined, { busyTimeoutMs: 10 }));
    const other = new Database(store.path);
    onTestFinished(() => other.close());
    other.exec('BEGIN IMMEDIATE');
    const first = acts();
    const { result } = await keys.answer(asked('devices.unpair'), first.act);
    expect(result).toMatchObject({ ok: false, error: { type: 'busy' } });
    expect(first.count()).toBe(0);
    other.exec('ROLLBACK');
    expect((await keys.answer(asked('devices.unpair'), first.act)).result.ok).toBe(true);
  });

  test('[IK-5] with another token an answer cannot be read, and nothing is done', async () => {
    const { keys, store } = openKeys();
    const first = acts();
    await keys.answer(asked(CREATE, request(1)), first.act);
    store.db.exec('DROP TRIGGER idempotency_keys_answer_stays');
    // The hash of the body is keyed as well: it is another body for who does not have the key.
    const { result } = await openKeys(store, 'other').keys.answer(
      asked(CREATE, request(1)),
      first.act,
    );
    expect(result).toMatchObject({ ok: false, error: { type: 'conflict' } });
    expect(first.count()).toBe(1);
  });

  test('[IK-1] an answer that was given can never be changed', async () => {
    const { keys, store } = openKeys();
    await keys.answer(asked(CREATE, request(1)), acts().act);
    expect(() => store.db.run(`UPDATE idempotency_keys SET answer = x'00'`)).toThrow('immutable');
    expect(() => store.idempotencyKeys.answer('k', new Uint8Array(1))).toThrow('never recorded');
  });
});
