// One effect can serve several inputs: a run took the events of all of them. Each of them lists it, and
// it lists all of them.
import { describe, expect, it } from 'vitest';
import { automationRunId, effectId as effectIdOf } from '#shared/ids.ts';
import { serveInProcess } from '#test/support/serve-in-process.ts';
import { succeeds } from '#test/cli/holdfast.ts';
import { succeed } from '#test/support/api-calls.ts';
import { eventually } from '#test/support/eventually.ts';
import { dumpRows } from '#test/support/dump-rows.ts';
import { retentionOf, DAY, skipUnfinishedEvents } from '#test/support/ended-inputs.ts';
import { exchange } from '#test/support/exchange-changes.ts';
import { openStore, type OpenStore } from '#test/support/open-store.ts';
import { POSTER } from '#test/support/start-engine.ts';
import { startInputs, type InputsUnderTest } from '#test/support/start-inputs.ts';
import { addWorkflow, ended } from '#test/support/webhooks.ts';

/** Posts all pending events in one call, then posts what it published, in another. */
const BATCH = `
import { workflow } from 'holdfast';
export default workflow({
  name: 'Batch', uses: { outside: {} }, topics: ['in', 'merged'],
  consumers: {
    merge: {
      subscribes: 'in', publishes: ['merged'],
      async prepare(ctx) {
        const events = await ctx.peek('in', { limit: 10 });
        return { reservations: events, data: events.map(({ payload }) => payload) };
      },
      async mutate(ctx, { data }) { await ctx.tools.outside.post(data); },
      async next(ctx, { reservations }) {
        const [first] = reservations;
        await ctx.publish('merged', { id: first.messageId, title: 'Merged', payload: 1 });
      },
    },
    follow: {
      subscribes: 'merged',
      async prepare(ctx) {
        const [event] = await ctx.peek('merged', { limit: 1 });
        return event ? { reservations: [event], data: event.payload } : {};
      },
      async mutate(ctx, { data }) { await ctx.tools.outside.post({ merged: data }); },
    },
  },
});`;

interface Together extends InputsUnderTest {
  readonly workflowId: string;
  readonly ids: readonly string[];
  /** Ids of the effects in the order in which they were sent. */
  readonly sent: readonly string[];
}

/** Inputs with these payloads, whose events one run takes. */
async function together(payloads: readonly number[]): Promise<Together> {
  const inputs = startInputs();
  const { under } = inputs;
  const workflowId = await under.add(BATCH);
  under.store.grants.set(workflowId, 'outside', {});
  under.engine.commands.pause(workflowId, '');
  const ids: string[] = [];
  for (const payload of payloads) {
    ids.push(await inputs.start(workflowId, payload));
    await inputs.pass(1);
  }
  under.engine.commands.resume(workflowId);
  await inputs.idle();
  const sent = under.outside.arrived.map(({ effectId }) => effectId);
  return { ...inputs, workflowId, ids, sent };
}

const runsOf = (inputIds: readonly string[]): string[] => inputIds.map(automationRunId);

describe('an effect that serves several inputs', () => {
  it('[EF-2] is listed by each of them with its response, and lists all of them, the oldest first', async () => {
    const { under, ids, sent } = await together([1, 2, 3]);
    expect(under.outside.arrived.map(({ params }) => params)).toEqual([[1, 2, 3], { merged: 1 }]);
    for (const id of ids) {
      expect(under.store.sideEffects.ofRun(automationRunId(id))).toMatchObject(
        sent.map((effectId) => ({
          effectId,
          organizationId: 'space-1',
          runIds: runsOf(ids),
          response: { ok: true },
        })),
      );
    }
  });

  it('[EF-1] is one row, and an effect of one input has no further link', async () => {
    const { under, sent } = await together([1, 2]);
    const { db } = under.store;
    expect(db.values('SELECT effect_id FROM automation_side_effects')).toHaveLength(sent.length);
    const alone = await together([1]);
    expect(alone.sent).toHaveLength(2);
    expect(alone.under.store.db.all('SELECT * FROM automation_side_effect_runs')).toEqual([]);
  });

  it('[EF-2] belongs to no input that its run did not take', async () => {
    const { under, ids, start, workflowId } = await together([1, 2]);
    const later = await start(workflowId, 3);
    const [first, second] = [ids[0] ?? '', later].map((id) =>
      under.store.sideEffects.ofRun(automationRunId(id)),
    );
    expect(first?.map(({ runIds }) => runIds)).toEqual([runsOf(ids), runsOf(ids)]);
    expect(second?.map(({ runIds }) => runIds)).toEqual([runsOf([later]), runsOf([later])]);
  });
});

describe('the side effect ledger', () => {
  const effect = (effectId: string, ...runIds: string[]) => ({
    effectId,
    runIds,
    handlerRunId: 'h',
    kind: 'http.post',
    provider: 'http',
    response: { from: runIds.join() },
  });
  const linesOf = (store: OpenStore, runId: string): (readonly string[])[] =>
    store.sideEffects.ofRun(runId).map(({ effectId, runIds }) => [effectId, ...runIds]);

  it('[EF-1] keeps the first response of an effect, and adds inputs that it did not list', () => {
    const store = openStore();
    store.sideEffects.record(effect('e', 'a'));
    store.sideEffects.record(effect('e', 'a', 'b'));
    store.sideEffects.record(effect('e', 'a', 'b'));
    expect(store.sideEffects.get('e')).toMatchObject({
      runIds: ['a', 'b'],
      response: { from: 'a' },
    });
    expect(linesOf(store, 'b')).toEqual([['e', 'a', 'b']]);
  });

  it('[EF-1] of two devices that recorded one effect for different inputs has all of them on both', () => {
    const [one, other] = [openStore('device-a'), openStore('device-b')];
    one.sideEffects.record(effect('e', 'a', 'b'));
    other.sideEffects.record(effect('e', 'a', 'c'));
    exchange(one.db, other.db);
    exchange(other.db, one.db);
    expect(dumpRows(one.db)).toEqual(dumpRows(other.db));
    for (const store of [one, other]) {
      expect(linesOf(store, 'b')).toEqual([['e', 'a', 'b', 'c']]);
      expect(linesOf(store, 'c')).toEqual([['e', 'a', 'b', 'c']]);
    }
  });

  it('[EF-1] is keyed by organization and effect id; a device that joined another space knows its effects', () => {
    const store = openStore();
    store.sideEffects.record(effect('e', 'a'));
    Object.assign(store.context, { spaceId: 'space-2' });
    store.sideEffects.record(effect('e', 'a', 'b'));
    store.sideEffects.record(effect('f', 'a'));
    const key = store.db.values<string>(
      `SELECT name FROM pragma_table_info('automation_side_effects') WHERE pk > 0`,
    );
    expect(key.toSorted()).toEqual(['effect_id', 'organization_id']);
    const rows = store.db.all(
      'SELECT effect_id, organization_id FROM automation_side_effects ORDER BY effect_id',
    );
    expect(rows).toEqual([
      { effect_id: 'e', organization_id: 'space-1' },
      { effect_id: 'f', organization_id: 'space-2' },
    ]);
    expect(linesOf(store, 'b')).toEqual([['e', 'a', 'b']]);
  });

  it('[EF-2] reports a new row and a new link to the change feed', () => {
    const store = openStore();
    const seen: string[] = [];
    store.db.changes.subscribe((changes) => {
      seen.push(...(changes.get('automation_side_effects') ?? []));
    });
    store.sideEffects.record(effect('e', 'a'));
    store.sideEffects.record(effect('e', 'a'));
    store.sideEffects.record(effect('e', 'a', 'b'));
    expect(seen).toEqual(['e', 'e']);
  });
});

it('[IG-11] an effect that only the side effect ledger knows is answered from there and not sent', async () => {
  const { under, start } = startInputs();
  const workflowId = await under.add(POSTER);
  under.store.grants.set(workflowId, 'outside', {});
  under.engine.commands.pause(workflowId, '');
  const id = await start(workflowId, { n: 1 });
  const [event = ''] = under.store.inputChain.eventIds(id, 1);
  under.store.sideEffects.record({
    effectId: effectIdOf(workflowId, 'post', [{ eventId: event, attempt: 1 }]),
    runIds: [automationRunId(id)],
    handlerRunId: 'a run that is archived',
    kind: 'outside.post',
    provider: 'outside',
    response: { from: 'the ledger' },
  });
  under.engine.commands.resume(workflowId);
  await under.idle();
  expect(under.outside.arrived).toEqual([]);
  const out = under.store.topics.ensure(workflowId, 'out');
  const [published] = under.store.events.peek(out.id, 1);
  expect(JSON.stringify(published?.payload)).toContain('the ledger');
  expect(under.store.automationRuns.ofInput(id)?.state.status).toBe('succeeded');
});

describe('archiving an input of a shared effect', () => {
  it('[EF-3] [RT-9] leaves the effect to the inputs that stay, and archives it with the last', async () => {
    const { under, ids, sent, ...rest } = await together([1, 2]);
    const { store } = under;
    const [first = '', second = ''] = ids;
    // An event of its own, which waits, so that the second input stays.
    store.events.publish({
      topic: store.topics.ensure(rest.workflowId, 'unread'),
      messageId: 'waits',
      title: 'Waits',
      payload: null,
      causedBy: second,
    });
    const { retention, lines } = retentionOf({ under, ids, sent, ...rest } as Together);
    await rest.pass(2 * DAY);
    await retention.pass();
    expect(store.triggerEvents.get(first)).toBeUndefined();
    expect(
      store.sideEffects.ofRun(automationRunId(second)).map(({ effectId }) => effectId),
    ).toEqual(sent);
    const archived = (table: string): unknown[] =>
      lines().flatMap((line) => (line.table === table ? [line.row] : []));
    expect(archived('automation_side_effects')).toEqual([]);
    expect(archived('automation_side_effect_runs')).toHaveLength(2);
    skipUnfinishedEvents(store, rest.workflowId);
    await rest.pass(2 * DAY);
    await retention.pass();
    expect(store.triggerEvents.get(second)).toBeUndefined();
    const rows = archived('automation_side_effects') as {
      effect_id: string;
      organization_id: string;
    }[];
    expect(rows.map((row) => row.effect_id).toSorted()).toEqual(sent.toSorted());
    expect(rows.map((row) => row.organization_id)).toEqual(['space-1', 'space-1']);
    expect(archived('automation_side_effect_runs')).toHaveLength(4);
  });

  it('[RT-8] [EF-1] is the only way to delete an effect or a link; neither they nor an input can be changed', async () => {
    const { under } = await together([1, 2]);
    const { db } = under.store;
    expect(() => db.run(`UPDATE trigger_events SET raw_payload = '1'`)).toThrow('immutable');
    expect(() => db.run(`UPDATE trigger_events SET facts = '{}'`)).toThrow('immutable');
    for (const table of ['automation_side_effects', 'automation_side_effect_runs']) {
      expect(() => under.store.db.run(`DELETE FROM ${table}`), table).toThrow(
        `immutable: ${table}`,
      );
      expect(() => under.store.db.run(`UPDATE ${table} SET effect_id = 'x'`), table).toThrow(
        `immutable: ${table}`,
      );
    }
  });
});

it('[EF-2] the API and the command line show an effect with all of its inputs, and a run with its own', async () => {
  const { host, url } = await serveInProcess();
  const { dir, lock } = host.folder;
  // As `holdfast serve` does, so that the command finds this host.
  lock.announce({ pid: process.pid, startedAt: host.startedAt, url });
  const source = BATCH.replaceAll('outside', 'notify').replace(
    /post\((.*?)\)/g,
    "show({ title: 'x' })",
  );
  const workflowId = await addWorkflow(host, source, 'batch');
  await succeed(host.dispatch, 'workflows.grant', { workflowId, tool: 'notify', scope: {} });
  await succeed(host.dispatch, 'workflows.pause', { workflowId });
  const firstAt = Date.now();
  const start = async (title: string): Promise<string> => {
    const request = { requestId: title, workflowId, topic: 'in', title, payload: 1 };
    const { input } = await succeed(host.dispatch, 'inputs.start', request);
    return input.id;
  };
  const ids = [await start('One')];
  // Received in another millisecond, so that the order is known.
  await eventually(async () => expect(Date.now()).toBeGreaterThan(firstAt + 1));
  ids.push(await start('Two'));
  // Both events wait in the topic before the first run takes any.
  await eventually(async () => {
    const { inputs } = await succeed(host.dispatch, 'inputs.list', { status: 'running' });
    expect(inputs).toHaveLength(2);
  });
  await succeed(host.dispatch, 'workflows.resume', { workflowId });
  const [one, two] = [await ended(host, ids[0] ?? ''), await ended(host, ids[1] ?? '')];
  const both = [
    { id: ids[0], title: 'One' },
    { id: ids[1], title: 'Two' },
  ];
  expect(one.sideEffects.length).toBeGreaterThan(0);
  expect(two.sideEffects).toEqual(one.sideEffects);
  for (const { inputs } of one.sideEffects) expect(inputs).toEqual(both);
  const shown = await succeeds('show', ids[1] ?? '', '--data', dir);
  expect(shown).toMatch(/also for input \w+ One/);
  expect(shown).not.toMatch(/also for input \w+ Two/);
  const { runs } = await succeed(host.dispatch, 'handlerRuns.list', { workflowId });
  const run = runs.find(({ handlerName }) => handlerName === 'merge');
  const detail = await succeed(host.dispatch, 'handlerRuns.get', { handlerRunId: run?.id ?? '' });
  expect(detail.inputs).toEqual(both);
  const shownRun = await succeeds('show', run?.id ?? '', '--data', dir);
  expect(shownRun).toMatch(/Inputs\n +\w+ One\n +\w+ Two/);
});
