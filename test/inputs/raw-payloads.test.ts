// Payloads as they were received: sealed, on this device only, shown by one call, deleted in time.
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHost, type Host } from '#main/host/host.ts';
import { createSilentLog } from '#main/host/log.ts';
import { RawPayloadVault } from '#main/inputs/raw-payload-vault.ts';
import { createMasker } from '#main/secrets/masker.ts';
import { openSecretStore, type Cipher, type SecretStore } from '#main/secrets/secret-store.ts';
import { archiveDelete } from '#main/store/sqlite/archive-delete.ts';
import { inputId } from '#shared/ids.ts';
import { RAW_PAYLOAD_DAYS } from '#shared/limits.ts';
import { fail, succeed } from '#test/support/api-calls.ts';
import { refused, succeeds } from '#test/cli/holdfast.ts';
import { LOOPBACK } from '#test/support/create-test-host.ts';
import { DAY, retentionOf } from '#test/support/ended-inputs.ts';
import { eventually } from '#test/support/eventually.ts';
import { openStore, type OpenStore } from '#test/support/open-store.ts';
import { serveInProcess, type ServedInProcess } from '#test/support/serve-in-process.ts';
import { sharedSandbox } from '#test/support/shared-sandbox.ts';
import { startInputs } from '#test/support/start-inputs.ts';
import { tempFolder } from '#test/support/temp-folder.ts';
import { addWorkflow, ECHO, ended, makeHook, post } from '#test/support/webhooks.ts';

const SECRET = `ghp_${'a1B2'.repeat(9)}`;
/** Spaces, key order and escapes that a parser would not give back. */
const BODY = `{ "b":1.50,\r\n "token" : "${SECRET}", "a":"\\u00e9 ü\u{1F30A}" }`;

interface Received extends ServedInProcess {
  readonly workflowId: string;
  readonly hookId: string;
  send(body: string, headers?: object): Promise<string>;
}

async function receiver(): Promise<Received> {
  const served = await serveInProcess();
  const workflowId = await addWorkflow(served.host, ECHO);
  const {
    url,
    secret,
    id: hookId,
  } = await makeHook(served, workflowId, {
    dedup: { by: 'header', name: 'X-Delivery' },
  });
  const send = async (body: string, headers: object = {}): Promise<string> => {
    const response = await post(url, secret, body, { 'X-Delivery': randomUUID(), ...headers });
    expect(response.status).toBe(202);
    return ((await response.json()) as { id: string }).id;
  };
  return { ...served, workflowId, hookId, send };
}

const raw = ({ host }: { readonly host: Host }, id: string) =>
  succeed(host.dispatch, 'inputs.raw', { inputId: id });

describe('a raw payload', () => {
  it('[RW-1] [RW-2] is returned byte for byte, while everything else has the redacted form', async () => {
    const under = await receiver();
    const { host } = under;
    const id = await under.send(BODY);
    const input = await ended(host, id);
    expect(input.hasRawPayload).toBe(true);
    expect(await raw(under, id)).toEqual({ text: BODY, bytes: Buffer.byteLength(BODY) });
    expect(JSON.stringify(input)).not.toContain(SECRET);
    const { db } = host.folder;
    const tables = db.values<string>(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%crsql%'`,
    );
    for (const table of tables) {
      const text = Buffer.concat(
        db
          .all<Record<string, unknown>>(`SELECT * FROM ${table}`)
          .flatMap((row) => Object.values(row))
          .map((value) =>
            value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(String(value)),
          ),
      );
      expect(text.includes(SECRET), table).toBe(false);
    }
    expect(db.value('SELECT raw_payload FROM trigger_events')).toContain('•••(secret-name)');
  });

  it('[RW-1] is committed with its input, and not at all if the input is not', async () => {
    const inputs = startInputs();
    const { engine, store } = inputs.under;
    const lifecycle = engine.context.inputs;
    lifecycle.sealRaw = (_id, bytes) => ({ bytes: bytes.length, keyId: 'k', sealed: bytes });
    const facts = {
      workflowId: 'w',
      kind: 'webhook',
      triggerId: 'hook',
      dedupKey: 'a',
      source: 'shop',
      type: 'order',
      externalId: 'a',
      title: 'A',
      topic: null,
      redactPaths: [],
      bytes: 2,
      sha256: 'h',
    } as const;
    const seen: boolean[] = [];
    store.db.changes.subscribe((changes) => {
      for (const id of changes.get('trigger_events') ?? []) seen.push(store.rawPayloads.has(id));
    });
    const register = () => lifecycle.register(facts, {}, Buffer.from('{}'));
    expect(() =>
      store.db.write(() => {
        register();
        throw new Error('no');
      }),
    ).toThrow('no');
    const id = inputId('w', 'hook', 'a');
    expect([store.triggerEvents.isKnown(id), store.rawPayloads.has(id)]).toEqual([false, false]);
    store.db.write(register);
    expect(seen).toEqual([true]);
  });

  it('[RW-2] of a duplicate is not stored: the first one stays', async () => {
    const under = await receiver();
    const id = await under.send('{"n": 1}', { 'X-Delivery': 'same' });
    expect(await under.send('{"n":  2}', { 'X-Delivery': 'same' })).toBe(id);
    expect((await raw(under, id)).text).toBe('{"n": 1}');
  });

  it('[RW-1] is stored for manual starts and for inputs that producers register', async () => {
    const { host } = await serveInProcess();
    const source = `
import { workflow } from 'holdfast';
export default workflow({
  name: 'Producer', topics: ['in'],
  producers: { poll: { schedule: { every: '1h' }, publishes: ['in'], async run(ctx) {
    const payload = { token: ${JSON.stringify(SECRET)} };
    await ctx.registerInput({ source: 's', type: 't', id: '1', title: 'One', topic: 'in', payload });
  } } },
  consumers: { take: { subscribes: 'in', async prepare(ctx) {
    const [event] = await ctx.peek('in', { limit: 1 });
    return event ? { reservations: [event] } : {};
  } } },
});`;
    await host.inputs.rawPayloads.ready();
    const workflowId = await addWorkflow(host, source, 'producer');
    const request = { requestId: 'r', workflowId, topic: 'in', payload: { token: SECRET } };
    const { input } = await succeed(host.dispatch, 'inputs.start', request);
    expect(JSON.parse((await raw({ host }, input.id)).text)).toEqual({ token: SECRET });
    const run = { workflowId, producer: 'poll', requestId: 'run' };
    await succeed(host.dispatch, 'workflows.runNow', run);
    const registered = await eventually(async () => {
      const { inputs } = await succeed(host.dispatch, 'inputs.list', { kind: 'producer' });
      expect(inputs).toHaveLength(1);
      return inputs[0];
    });
    const found = await raw({ host }, registered?.id ?? '');
    expect(JSON.parse(found.text)).toEqual({ token: SECRET });
  });

  it('[RW-2] is printed exactly by "holdfast show --raw"', async () => {
    const under = await receiver();
    const { dir, lock } = under.host.folder;
    lock.announce({ pid: process.pid, startedAt: under.host.startedAt, url: under.url });
    const id = await under.send(BODY);
    expect(await succeeds('show', id, '--raw', '--data', dir)).toBe(BODY);
    expect(await succeeds('show', id, '--data', dir)).not.toContain(SECRET);
    expect(await refused('show', 'nothing', '--raw', '--data', dir)).toContain(
      'There is no input with the id "nothing"',
    );
    expect(await succeeds('raw-payloads', '--data', dir)).toBe(
      `Raw payloads stay for 7 days, sealed, on this device only. 1 is stored now, ${Buffer.byteLength(BODY)} bytes.\n`,
    );
    expect(await succeeds('raw-payloads', '0', '--data', dir)).toBe(
      'Raw payloads are not stored.\n',
    );
    expect(await refused('show', id, '--raw', '--data', dir)).toContain(
      'Storing raw payloads is off.',
    );
    expect(await refused('raw-payloads', '36501', '--data', dir)).toContain('days');
    expect(under.host.stores.rawPayloads.days).toBe(0);
  });

  it('[RW-2] [IK-8] is not stored as the answer of a call with an Idempotency-Key', async () => {
    const under = await receiver();
    const id = await under.send(BODY);
    const ask = async (): Promise<unknown> => {
      const response = await fetch(`${under.url}/api/call/inputs.raw`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${under.token}`,
          'Content-Type': 'application/json',
          'Idempotency-Key': 'one',
        },
        body: JSON.stringify({ inputId: id }),
      });
      return ((await response.json()) as { output?: { text: string } }).output?.text;
    };
    expect(await ask()).toBe(BODY);
    expect(under.host.folder.db.all('SELECT * FROM idempotency_keys')).toEqual([]);
    await succeed(under.host.dispatch, 'rawPayloads.choose', { days: 0 });
    expect(await ask()).toBeUndefined();
  });
});

/** Three raw payloads, received a day apart. */
function threeDays(): { store: OpenStore; ids: () => unknown[] } {
  const store = openStore();
  for (const id of ['a', 'b', 'c']) {
    store.db.write(() =>
      store.rawPayloads.insert(id, { bytes: 3, keyId: 'k', sealed: Buffer.from(id) }),
    );
    void store.clock.advance(DAY);
  }
  return { store, ids: () => store.db.values('SELECT input_id FROM raw_payloads ORDER BY 1') };
}

describe('raw payloads are deleted', () => {
  it('[RW-3] after seven days unless the person chose otherwise, by the pass that archives', async () => {
    const inputs = startInputs();
    const { store } = inputs.under;
    expect([store.rawPayloads.days, RAW_PAYLOAD_DAYS]).toEqual([7, 7]);
    store.db.write(() =>
      store.rawPayloads.insert('i', { bytes: 1, keyId: 'k', sealed: Buffer.of(1) }),
    );
    const { retention } = retentionOf(inputs);
    await inputs.pass(7 * DAY);
    await retention.pass();
    expect(store.rawPayloads.has('i')).toBe(true);
    await inputs.pass(1);
    await retention.pass();
    expect(store.rawPayloads.has('i')).toBe(false);
  });

  it('[RW-3] in steps, the oldest first, and only those that are older than the chosen days', () => {
    const { store, ids } = threeDays();
    store.settings.set('raw_payloads', { days: 1 });
    expect(store.rawPayloads.deleteOld(1)).toBe(1);
    expect(ids()).toEqual(['b', 'c']);
    expect(store.rawPayloads.deleteOld(9)).toBe(1);
    expect(store.rawPayloads.deleteOld(9)).toBe(0);
    expect(ids()).toEqual(['c']);
  });

  it('[RW-3] all at once when the person chooses 0, and none is stored from then on', async () => {
    const under = await receiver();
    const { host } = under;
    const id = await under.send('{"n":1}');
    const chosen = await succeed(host.dispatch, 'rawPayloads.choose', { days: 0 });
    expect(chosen).toEqual({ days: 0, stored: 0, bytes: 0 });
    const later = await under.send('{"n":2}');
    for (const one of [id, later]) {
      expect(await fail(host.dispatch, 'inputs.raw', { inputId: one })).toMatchObject({
        type: 'not_found',
        message: expect.stringContaining('Storing raw payloads is off.') as string,
      });
      expect((await ended(host, one)).hasRawPayload).toBe(false);
    }
    for (const days of [-1, 1.5, 36_501]) {
      const answer = await host.dispatch('rawPayloads.choose', { days });
      expect(answer, String(days)).toMatchObject({ ok: false, error: { type: 'invalid_input' } });
    }
    expect(await succeed(host.dispatch, 'rawPayloads.choose', { days: 2 })).toMatchObject({
      days: 2,
    });
    expect((await raw(under, await under.send('{"n":3}'))).text).toBe('{"n":3}');
  });

  it('[RW-3] with their input, when it is archived', async () => {
    const under = await receiver();
    const { db } = under.host.folder;
    const id = await under.send('{"n":1}');
    await ended(under.host, id);
    db.write(() => archiveDelete(db, 'trigger_events', 'id', id));
    expect(under.host.stores.rawPayloads.has(id)).toBe(false);
  });

  it('[RW-3] [BK-1] from backups, whose file has none', async () => {
    const under = await receiver();
    const id = await under.send(BODY);
    const { file } = await succeed(under.host.dispatch, 'backups.make', {});
    const copy = new SQLite(file, { readonly: true });
    onTestFinished(() => void copy.close());
    expect(copy.prepare('SELECT count(*) FROM raw_payloads').pluck().get()).toBe(0);
    expect(copy.prepare('SELECT count(*) FROM trigger_events').pluck().get()).toBe(1);
    expect(copy.pragma('freelist_count', { simple: true })).toBe(0);
    expect((await raw(under, id)).text).toBe(BODY);
  });

  it('[RW-3] from a copied folder, which also drops the key', async () => {
    const dir = tempFolder();
    const first = await hostOn(dir);
    await putOne(first, 'one');
    await first.close();
    const copied = join(tempFolder(), 'copy');
    await cp(dir, copied, { recursive: true });
    const key = keyIn(dir);
    const copy = await hostOn(copied);
    await copy.inputs.rawPayloads.ready();
    expect(copy.stores.rawPayloads.total()).toEqual({ stored: 0, bytes: 0 });
    expect(keyIn(copied)).not.toBe(key);
    expect(key).toHaveLength(64);
  });
});

/** A host whose `secrets.json` is in `dir`. */
async function hostOn(dir: string, cipher?: Cipher): Promise<Host> {
  const host = createHost({
    dataDir: dir,
    createLog: createSilentLog,
    links: LOOPBACK,
    sandbox: sharedSandbox(),
    ...(cipher ? { cipher } : {}),
  });
  onTestFinished(() => host.close());
  await host.inputs.rawPayloads.ready();
  return host;
}

async function putOne(host: Host, requestId: string): Promise<string> {
  const workflowId =
    host.stores.workflows.ids()[0] ?? (await addWorkflow(host, ECHO, `echo-${requestId}`));
  const request = { requestId, workflowId, topic: 'in', payload: { n: requestId } };
  return (await succeed(host.dispatch, 'inputs.start', request)).input.id;
}

type SecretsFile = { secrets: { [name: string]: { value: string; sealed: boolean } } };
const secretsIn = (dir: string): SecretsFile =>
  JSON.parse(readFileSync(join(dir, 'secrets.json'), 'utf8')) as SecretsFile;
const keyIn = (dir: string): string | undefined =>
  secretsIn(dir).secrets['holdfast.raw-payload-key']?.value;

describe('the key of raw payloads', () => {
  it('[RW-1] is not in the database, and a restart reads what was sealed before it', async () => {
    const dir = tempFolder();
    const first = await hostOn(dir);
    const id = await putOne(first, 'one');
    await first.close();
    const key = Buffer.from(keyIn(dir) ?? '', 'hex');
    expect(key).toHaveLength(32);
    const file = readFileSync(join(dir, 'holdfast.db'));
    expect([file.includes(key), file.includes(key.toString('hex'))]).toEqual([false, false]);
    const second = await hostOn(dir);
    expect((await raw({ host: second }, id)).text).toBe('{"n":"one"}');
    const { names } = await succeed(second.dispatch, 'secrets.names', {});
    expect(names).toEqual([]);
  });

  it('[RW-4] that is lost is named, stops no input, and the next inputs are sealed with a new one', async () => {
    const dir = tempFolder();
    const first = await hostOn(dir);
    const id = await putOne(first, 'one');
    await first.close();
    writeFileSync(join(dir, 'secrets.json'), '{"version":1,"secrets":{}}');
    const second = await hostOn(dir);
    expect(await fail(second.dispatch, 'inputs.raw', { inputId: id })).toMatchObject({
      type: 'conflict',
      message: expect.stringContaining('a key that is no longer on this device') as string,
    });
    const later = await putOne(second, 'two');
    expect((await raw({ host: second }, later)).text).toBe('{"n":"two"}');
  });

  it('[RW-4] that is sealed by a keychain which is not available is never replaced, and inputs are accepted', async () => {
    const dir = tempFolder();
    const first = await hostOn(dir);
    const id = await putOne(first, 'one');
    await first.close();
    const file = secretsIn(dir);
    const record = file.secrets['holdfast.raw-payload-key'] as { value: string; sealed: boolean };
    const other = { 'holdfast.raw-payload-key': { value: 'sealed elsewhere', sealed: true } };
    writeFileSync(join(dir, 'secrets.json'), JSON.stringify({ version: 1, secrets: other }));
    const second = await hostOn(dir);
    const later = await putOne(second, 'two');
    expect((await ended(second, later)).hasRawPayload).toBe(false);
    expect(await fail(second.dispatch, 'inputs.raw', { inputId: id })).toMatchObject({
      type: 'conflict',
      message: expect.stringContaining('a keychain that is not available here') as string,
    });
    expect(keyIn(dir)).toBe('sealed elsewhere');
    await second.close();
    // The keychain is back.
    const found = { 'holdfast.raw-payload-key': record };
    writeFileSync(join(dir, 'secrets.json'), JSON.stringify({ version: 1, secrets: found }));
    expect((await raw({ host: await hostOn(dir) }, id)).text).toBe('{"n":"one"}');
  });

  it('[RW-4] a damaged row, or one that belongs to another input, is named as damaged', async () => {
    const { store, vault } = await vaultOf();
    const sealed = vault.seal('a', Buffer.from('{}'));
    if (!sealed) throw new Error('not sealed');
    const put = (id: string, bytes: Uint8Array): void =>
      store.db.write(() => store.rawPayloads.insert(id, { ...sealed, sealed: bytes }));
    put('a', sealed.sealed);
    put('b', sealed.sealed);
    const spoiled = Buffer.from(sealed.sealed);
    spoiled.writeUInt8(spoiled.readUInt8(spoiled.length - 1) ^ 1, spoiled.length - 1);
    put('c', spoiled);
    put('d', Buffer.of(1, 2));
    expect((await vault.open('a')).text).toBe('{}');
    for (const id of ['b', 'c', 'd']) {
      await expect(vault.open(id), id).rejects.toThrow('is damaged and can’t be shown');
    }
  });

  it('[RW-1] is not created while storing is off, and two sealings of one text differ', async () => {
    const off = await vaultOf(0);
    expect(await off.secrets.names()).toEqual([]);
    expect(off.vault.seal('a', Buffer.from('x'))).toBeNull();
    const { vault } = await vaultOf();
    const [one, other] = [vault.seal('a', Buffer.from('x')), vault.seal('a', Buffer.from('x'))];
    expect(Buffer.from(one?.sealed ?? []).equals(Buffer.from(other?.sealed ?? []))).toBe(false);
  });
});

async function vaultOf(
  days = 7,
): Promise<{ store: OpenStore; vault: RawPayloadVault; secrets: SecretStore }> {
  const store = openStore();
  store.settings.set('raw_payloads', { days });
  const secrets = openSecretStore({ dataDir: tempFolder(), masker: createMasker() });
  const { rawPayloads, settings } = store;
  const vault = new RawPayloadVault({
    secrets,
    store: rawPayloads,
    settings,
    log: createSilentLog(),
  });
  await vault.ready();
  return { store, vault, secrets };
}
