// Fuzzes every API call with inputs generated from its schema, on a real host.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { CALL_NAMES, contract, type CallName } from '#shared/api/contract.ts';
import { API_ERROR_TYPES, type ApiResult } from '#shared/api/errors.ts';
import { runEventKey, type RunEventWrite } from '#shared/run-log.ts';
import { nameOfKey } from '#shared/sync/device-id.ts';
import {
  ALWAYS_INVALID,
  flawedInputs,
  validInputs,
  type Known,
} from '#test/support/arbitrary-from-zod.ts';
import { makeRuns, succeed } from '#test/support/api-calls.ts';
import { watchCommits } from '#test/support/watch-commits.ts';
import { createTestHost } from '#test/support/create-test-host.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

/** Calls that succeed at most once, or never, in the state that these tests set up. */
const ONCE_AT_MOST: readonly CallName[] = [
  // A new file never replaces an existing one.
  'workflows.newFile',
  // This database was not restored.
  'restored.goOn',
  // Only a decision that is still waiting can be withdrawn, and only once.
  'inbox.withdraw',
  'jobs.cancel',
  'handlerRuns.cancel',
  'inbox.answer',
  'workflows.activate',
  // Few requests name a topic that a version dropped.
  'workflows.skipLeftBehind',
  'events.rerun',
  'inputs.skip',
  'inputs.settle',
  'hooks.remove',
  // A request creates its hook once, and few requests name a topic of the right workflow.
  'hooks.create',
  'outbox.replay',
  // No tool accepts a random scope.
  'workflows.grant',
  // There is one device to unpair, and none to join, reach or compare with.
  'devices.reach',
  'devices.unpair',
  'devices.join',
  'devices.compare.start',
  'devices.compare.confirm',
  'devices.compare.reject',
  'workflows.handover',
  'workflows.takeover',
  'incidents.acknowledge',
  // No row is refused here.
  'inbox.acknowledge',
  // The test host has no desktop.
  'desktop.set',
  'desktop.openFolder',
];

/** The watcher reads the file of an earlier call during the next one. */
const WRITES_FILES: readonly CallName[] = ['workflows.newFile', 'workflows.saveFile'];

const ASKER = `
import { workflow } from 'holdfast';
export default workflow({
  name: 'Asker', uses: { ask: {} }, topics: ['in'],
  producers: { never: { schedule: { cron: '0 0 1 1 *' }, publishes: ['in'], run() {} } },
  consumers: { ask: {
    subscribes: 'in', publishes: [],
    async prepare(ctx) {
      const [event] = await ctx.peek('in', { limit: 1 });
      return { reservations: event ? [event] : [] };
    },
    async mutate(ctx) { await ctx.tools.ask.question({ question: 'Well?' }); },
  } },
});`;

describe('calls with inputs generated from the contract', () => {
  /** Existing ids, so that calls get past "not found". */
  async function knownValues(host: ReturnType<typeof createTestHost>): Promise<Known> {
    const { active, ended, workflowId, spaceId } = await makeRuns(host.dispatch);
    const { next } = await succeed(host.dispatch, 'runs.list', { limit: 1 });
    const asked = await makeQuestion(host);
    const { invitationId } = await succeed(host.dispatch, 'devices.invite', {});
    const other = { ...nameOfKey(Uint8Array.of(1)), name: 'Other', addresses: [] };
    host.stores.peers.pair({ ...other, pairedBy: 'link' });
    return {
      ...asked,
      ...(await makeJob(host)),
      runId: [active.id, ended.id],
      workflowId: [workflowId, ...asked.workflowId],
      projectId: [workflowId],
      tenantId: [spaceId],
      environmentId: ['draft'],
      startRequestId: ['first', 'second'],
      requestId: ['one request', 'another request'],
      terminalEventId: ['end-1'],
      after: [next],
      invitationId: [invitationId],
      deviceId: [other.deviceId],
      address: ['127.0.0.1:1'],
      remind: ['10s', '1d'],
      within: ['2d', '366d'],
    };
  }

  /** Creates a workflow with an open question, then stops the engine. */
  async function makeQuestion(host: ReturnType<typeof createTestHost>) {
    const path = join(tempFolder(), 'asker.ts');
    writeFileSync(path, ASKER);
    const { workflowId } = await succeed(host.dispatch, 'workflows.add', { path });
    const event = { workflowId, topic: 'in', messageId: 'm', title: 'm', payload: null };
    const { eventId } = await succeed(host.dispatch, 'events.publish', event);
    const question = await vi.waitFor(
      async () => {
        const { items } = await succeed(host.dispatch, 'inbox.list', {});
        const [item] = items;
        if (item?.type !== 'question') throw new Error('not asked yet');
        return item;
      },
      { timeout: 20_000 },
    );
    const values = await makeInput(host, workflowId);
    await host.inputs.pipeline.stop();
    await host.engine.stop();
    // It writes about once a second.
    host.folder.mark.stop(host.stores.lineages);
    return {
      ...values,
      workflowId: [workflowId],
      path: [path],
      dir: [tempFolder()],
      to: [tempFolder()],
      source: [ASKER],
      basedOn: [(await succeed(host.dispatch, 'workflows.file', { workflowId })).sha],
      fileName: ['asker.ts', 'another.js'],
      scriptId: [host.stores.workflows.get(workflowId)?.scriptId],
      topic: ['in'],
      producer: ['never'],
      eventId: [eventId],
      messageId: ['m', 'n'],
      handlerRunId: [question.handlerRunId],
      mutationId: [question.mutationId],
    };
  }

  /** Creates an input with an artifact, a hook and a dead outbox row. */
  async function makeInput(host: ReturnType<typeof createTestHost>, workflowId: string) {
    const start = { requestId: 'an input', workflowId, payload: {} };
    const { input } = await succeed(host.dispatch, 'inputs.start', start);
    const { hook } = await succeed(host.dispatch, 'hooks.create', {
      requestId: 'a hook',
      workflowId,
      name: 'hook',
      auth: { kind: 'bearer' },
    });
    const { artifact } = await succeed(host.dispatch, 'artifacts.attach', {
      requestId: 'an artifact',
      inputId: input.id,
      name: 'a.txt',
      base64: '',
    });
    const { db } = host.folder;
    db.run(`INSERT INTO outbox (organization_id, run_id, kind, status, available_at, created_at)
      VALUES ('space', 'run', 'enqueue_enrich', 'dead', 0, 0)`);
    const rowId = db.value<number>(`SELECT id FROM outbox WHERE run_id = 'run'`);
    return {
      inputId: [input.id, input.run.id],
      artifactId: [artifact.id],
      base64: ['', 'YQ=='],
      name: ['a.txt', 'another name'],
      hookId: [hook.id],
      rowId: [rowId],
      auth: [{ kind: 'bearer' }, { kind: 'github' }, { kind: 'stripe', toleranceS: 60 }],
      dedup: [{ by: 'body' }, { by: 'header', name: 'x-id' }, { by: 'path', path: 'a.b' }],
      redactPaths: [[], ['a.b', 'items.*.note']],
      secret: ['a-secret-of-some-length'],
    };
  }

  /** Creates a script and a queued job; the runner is off. */
  async function makeJob(host: ReturnType<typeof createTestHost>) {
    const script = { title: 'T', executable: '/bin/true', args: { word: { type: 'string' } } };
    const registry = { repos: { home: { path: host.folder.dir } }, scripts: { nothing: script } };
    writeFileSync(join(host.folder.dir, 'runner.json'), JSON.stringify(registry));
    const start = { requestId: 'a job', scriptKey: 'nothing', repoKey: 'home' };
    const { id } = await succeed(host.dispatch, 'jobs.start', start);
    return { jobId: [id], scriptKey: ['nothing'], repoKey: ['home'], args: [{}, { word: 'a' }] };
  }

  /** A random event would never have a valid idempotency key. */
  function withRightKey(name: CallName, input: unknown): unknown {
    if (name !== 'runs.appendEvent') return input;
    return { ...(input as RunEventWrite), idempotencyKey: runEventKey(input as RunEventWrite) };
  }

  function expectAnswer(name: CallName, result: ApiResult<unknown>): void {
    if (result.ok) {
      expect(Object.keys(result).toSorted()).toEqual(['ok', 'output']);
      expect(contract[name].output.safeParse(result.output).error).toBeUndefined();
      return;
    }
    expect(API_ERROR_TYPES).toContain(result.error.type);
    expect(result.error.type, result.error.message).not.toBe('internal');
    expect(result.error.message).toMatch(/\w.*\.$/s);
  }

  test.each(CALL_NAMES)(
    '[AP-3] %s returns a valid output or error for every valid input; an error writes nothing',
    async (name) => {
      const host = createTestHost();
      const known = await knownValues(host);
      const wrote = watchCommits(host.folder.dir);
      let answered = 0;
      await fc.assert(
        fc.asyncProperty(validInputs(contract[name].input, known), async (generated) => {
          const input = withRightKey(name, generated);
          wrote();
          const result = await host.dispatch(name, input);
          expectAnswer(name, result);
          if (result.ok) answered += 1;
          else if (!WRITES_FILES.includes(name)) expect(wrote()).toBe(false);
        }),
        // These copy or create a whole database.
        { numRuns: ['backups.make', 'workflows.try'].includes(name) ? 25 : 100 },
      );
      // Fewer would mean that only "not found" was tested.
      if (!ONCE_AT_MOST.includes(name)) expect(answered).toBeGreaterThan(5);
    },
  );

  test.each(CALL_NAMES)(
    '[AP-1] %s refuses every invalid input and writes nothing',
    async (name) => {
      const host = createTestHost();
      const known = await knownValues(host);
      const wrote = watchCommits(host.folder.dir);
      const { input: schema } = contract[name];
      await fc.assert(
        fc.asyncProperty(flawedInputs(schema, known), async ({ flaw, input }) => {
          wrote();
          const result = await host.dispatch(name, input);
          expectAnswer(name, result);
          const isWrong = ALWAYS_INVALID.includes(flaw) || !schema.safeParse(input).success;
          if (isWrong)
            expect(result).toMatchObject({ ok: false, error: { type: 'invalid_input' } });
          if (!result.ok && !WRITES_FILES.includes(name)) expect(wrote()).toBe(false);
        }),
        { numRuns: 75 },
      );
    },
  );

  test('[AP-1] any value under any call name gives a result and never throws', async () => {
    const host = createTestHost();
    const names = fc.oneof(fc.constantFrom(...CALL_NAMES), fc.string());
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSparseArray: true,
    });
    await fc.assert(
      fc.asyncProperty(names, anything, async (name, input) => {
        const result = await host.dispatch(name, input);
        if (!result.ok)
          expect(['invalid_input', 'unknown_call', 'not_found']).toContain(result.error.type);
        else expect(contract[name as CallName].output.safeParse(result.output).success).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
