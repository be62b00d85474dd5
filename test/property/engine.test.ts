// Random events, faults and restarts on the virtual clock. A model of the outside counts the effects and
// is compared with the ledger.
import { describe, expect } from 'vitest';
import { fc, it } from '@fast-check/vitest';
import type { MutationOutcome } from '#main/tools/tool.ts';
import { PHASES, type Phase } from '#shared/machines/handler-run.ts';
import { POSTER, startEngine, type EngineUnderTest } from '#test/support/start-engine.ts';

/** How the outside handles a call. */
type Fault =
  | 'fine'
  /** Acted, but the answer was lost. */
  | 'lost_after'
  /** Did not act, and no answer came. */
  | 'lost_before'
  | 'refused'
  | 'unreachable';

type Step =
  | { readonly type: 'publish'; readonly id: string; readonly fault: Fault }
  | { readonly type: 'pass'; readonly ms: number }
  | { readonly type: 'restart' }
  | { readonly type: 'pause' | 'resume' };

const fault = fc.constantFrom<Fault>(
  'fine',
  'fine',
  'lost_after',
  'lost_before',
  'refused',
  'unreachable',
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('publish' as const),
      id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
      fault,
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('pass' as const), ms: fc.nat(120_000) }) },
  { weight: 1, arbitrary: fc.constant({ type: 'restart' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constantFrom('pause' as const, 'resume' as const) }),
  },
);

/** The outside: how often each effect really happened. */
class World {
  readonly happened = new Map<string, number>();
  readonly faults: Fault[] = [];

  act(effect: string): MutationOutcome {
    const next = this.faults.shift() ?? 'fine';
    if (next === 'fine' || next === 'lost_after') {
      this.happened.set(effect, (this.happened.get(effect) ?? 0) + 1);
    }
    switch (next) {
      case 'fine':
        return { type: 'applied', result: effect };
      case 'lost_after':
      case 'lost_before':
        return { type: 'ambiguous', error: 'cut off' };
      case 'refused':
        return { type: 'failed', errorType: 'network', error: 'not now' };
      case 'unreachable':
        return { type: 'not_sent', errorType: 'network', error: 'no route' };
    }
  }
}

function connect(engine: EngineUnderTest, world: World): void {
  const { answers, arrived } = engine.outside;
  // Every call takes its answer from the world.
  Object.assign(answers, { shift: () => () => world.act(arrived.at(-1)?.effectId ?? '') });
}

/** A person settles every unknown outcome as it really happened. */
async function settleTruthfully(
  engine: EngineUnderTest,
  workflowId: string,
  world: World,
): Promise<void> {
  const { store } = engine;
  for (let round = 0; round < 30; round += 1) {
    const open = store.mutations
      .byStatus('indeterminate')
      .filter(({ state }) => !('resolved' in state));
    const waiting = store.db.get(
      `SELECT 1 FROM events WHERE status IN ('pending', 'reserved')
      AND topic_id = ?`,
      store.topics.ensure(workflowId, 'in').id,
    );
    if (!waiting) break;
    for (const mutation of open) {
      const hasHappened = world.happened.has(mutation.call?.idempotencyKey ?? '');
      engine.engine.decisions.settle(`${mutation.id}:${round}`, {
        mutationId: mutation.id,
        workflowId,
        resolution: hasHappened ? 'user_assert_applied' : 'user_assert_failed',
        result: hasHappened ? 'seen' : undefined,
      });
    }
    engine.engine.commands.resume(workflowId);
    await engine.idle();
    await engine.pass(10 * 60_000);
  }
}

const FORWARD: readonly Phase[] = [
  'preparing',
  'prepared',
  'mutating',
  'mutated',
  'emitting',
  'committed',
];

describe('after random events, faults and restarts', () => {
  it.prop([fc.array(step, { minLength: 3, maxLength: 25 })], { numRuns: 60 })(
    '[EN-1] [EN-12] [HR-9] each effect happens exactly once, and every run ends after a legal sequence of phases',
    async (steps) => {
      const world = new World();
      let engine = startEngine();
      connect(engine, world);
      const workflowId = await engine.add(POSTER);
      const published = new Set<string>();
      for (const next of steps) {
        switch (next.type) {
          case 'publish':
            world.faults.push(next.fault);
            published.add(next.id);
            await engine.publish(workflowId, 'in', next.id, next.id);
            break;
          case 'pass':
            await engine.pass(next.ms);
            break;
          case 'restart':
            await engine.engine.stop();
            engine = engine.restart();
            connect(engine, world);
            await engine.idle();
            break;
          case 'pause':
            engine.engine.commands.pause(workflowId, '');
            break;
          case 'resume':
            engine.engine.commands.resume(workflowId);
            await engine.idle();
            break;
        }
        // At any time: no effect twice, and none applied in the ledger that did not happen.
        for (const times of world.happened.values()) expect(times).toBe(1);
        for (const { call } of engine.store.mutations.byStatus('applied')) {
          expect(world.happened.has(call?.idempotencyKey ?? '')).toBe(true);
        }
      }
      world.faults.length = 0;
      engine.engine.commands.resume(workflowId);
      await engine.idle();
      await settleTruthfully(engine, workflowId, world);

      expect(world.happened.size).toBe(published.size);
      for (const times of world.happened.values()) expect(times).toBe(1);
      expect(engine.store.handlerRuns.open(workflowId)).toEqual([]);
      for (const run of engine.runs(workflowId)) {
        const entered = PHASES.filter((phase) => run.timeline[phase] !== undefined);
        const places = entered.map((phase) => FORWARD.indexOf(phase)).filter((place) => place >= 0);
        expect(places).toEqual(places.toSorted((a, b) => a - b));
      }
      const topic = engine.store.topics.ensure(workflowId, 'in');
      const { events } = engine.store.events.list({ topicId: topic.id, limit: 100 });
      expect(events.map(({ state }) => state.status)).toEqual(events.map(() => 'consumed'));
    },
    180_000,
  );
});
