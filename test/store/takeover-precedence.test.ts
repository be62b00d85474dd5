// The maker's states and a later owner's: the pure functions and the generated columns state the same
// precedence. Every combination is tried in both.
import { describe, expect, it } from 'vitest';
import type { Database } from '#main/store/sqlite/database.ts';
import { isRefused } from '#main/store/sqlite/sqlite-errors.ts';
import {
  PHASES,
  transitionConsumerRun,
  type ConsumerRunState,
} from '#shared/machines/handler-run.ts';
import { MUTATION_STATUSES, RESOLUTIONS } from '#shared/machines/mutation.ts';
import { isRejection } from '#shared/rejection.ts';
import { mutationId } from '#shared/ids.ts';
import {
  effectiveOutcome,
  effectiveProgress,
  outcomeOfMaker,
  type OutcomeOfEffect,
} from '#shared/takeover-precedence.ts';
import { openStore } from '#test/support/open-store.ts';

const base = { scriptRunId: 's', workflowId: 'w', handlerName: 'h', inputState: null, epoch: 1 };

function force(db: Database, sql: string, ...params: unknown[]): void {
  db.run('SELECT crsql_internal_sync_bit(1)');
  db.run(sql, ...params);
  db.run('SELECT crsql_internal_sync_bit(0)');
}

describe('takeover precedence', () => {
  it('[OW-12] for runs, the database and the pure function agree on every pair', () => {
    const { db, handlerRuns } = openStore();
    const { id } = handlerRuns.create({ ...base, handlerType: 'consumer' });
    for (const made of PHASES) {
      for (const phase of [null, ...PHASES]) {
        for (const over of PHASES) {
          const taken = phase === null ? null : { phase, over };
          force(
            db,
            'UPDATE handler_runs SET progress = ?, takeover = ? WHERE id = ?',
            JSON.stringify({ phase: made }),
            taken && JSON.stringify(taken),
            id,
          );
          const effective = effectiveProgress({ phase: made }, taken);
          expect(db.value('SELECT phase FROM handler_runs')).toBe(effective.phase);
        }
      }
    }
  });

  it('[OW-12] for effects, the database and the pure function agree on every combination', () => {
    const { db, mutations } = openStore();
    mutations.record({ handlerRunId: 'r', workflowId: 'w', epoch: 1 });
    const later: (OutcomeOfEffect | null)[] = [
      null,
      ...MUTATION_STATUSES.flatMap((status) => [
        { status },
        ...RESOLUTIONS.map((by) => ({ status, resolved_by: by })),
      ]),
    ];
    const textOf = (side: OutcomeOfEffect | null): string | null => side && JSON.stringify(side);
    db.write(() => {
      for (const status of MUTATION_STATUSES) {
        for (const recovered of later) {
          for (const taken of later) {
            const sides = { made: { status }, recovered, taken };
            force(
              db,
              'UPDATE mutations SET outcome = ?, recovered = ?, takeover = ?',
              textOf(sides.made),
              textOf(recovered),
              textOf(taken),
            );
            const found = db.get(
              'SELECT counts, counts_of_maker, status, resolved_by FROM mutations',
            );
            const effective = effectiveOutcome<OutcomeOfEffect>(sides);
            expect(found).toEqual({
              counts: textOf(effective),
              counts_of_maker: textOf(outcomeOfMaker<OutcomeOfEffect>(sides)),
              status: effective.status,
              resolved_by: effective.resolved_by ?? null,
            });
          }
        }
      }
    });
  });

  it('[DT-5] an outcome that the maker knows counts, whatever it and a later owner doubt', () => {
    for (const status of ['applied', 'failed'] as const) {
      for (const doubt of MUTATION_STATUSES) {
        for (const taken of [null, ...MUTATION_STATUSES]) {
          const sides = {
            made: { status },
            recovered: { status: doubt },
            taken: taken && { status: taken },
          };
          expect(effectiveOutcome<OutcomeOfEffect>(sides)).toEqual({ status });
        }
      }
    }
  });

  it("[OW-9] the maker's phase takes precedence over an end before the effect once the maker is past it", () => {
    const ended = { phase: 'failed', over: 'prepared' } as const;
    expect(effectiveProgress({ phase: 'prepared' }, ended).phase).toBe('failed');
    for (const phase of ['mutating', 'mutated', 'emitting', 'suspended'] as const) {
      expect(effectiveProgress({ phase }, ended).phase).toBe(phase);
      expect(effectiveProgress({ phase }, { phase: 'failed', over: 'mutating' }).phase).toBe(
        'failed',
      );
    }
    expect(effectiveProgress({ phase: 'committed' }, ended).phase).toBe('committed');
  });
});

describe('writes of an effect', () => {
  const columns = `SELECT outcome ->> 'status' AS made, recovered ->> 'status' AS recovered,
    takeover ->> 'status' AS taken, status FROM mutations`;
  const call = { toolNamespace: 't', toolMethod: 'm', params: null, idempotencyKey: 'k' };

  it('[OW-12] the maker never writes the column of a later owner, nor the owner those of the maker', () => {
    const maker = openStore('a');
    const id = mutationId('r');
    maker.mutations.markInFlight({ handlerRunId: 'r', workflowId: 'w', epoch: 1 }, call);
    expect(maker.mutations.sideOf(id)).toBe('maker');
    maker.mutations.move(id, { type: 'doubt', error: 'e' }, 'recovered');
    expect(maker.db.get(columns)).toEqual({
      made: 'in_flight',
      recovered: 'needs_reconcile',
      taken: null,
      status: 'needs_reconcile',
    });
    // From now on the maker continues there.
    expect(maker.mutations.sideOf(id)).toBe('recovered');
    maker.mutations.move(id, { type: 'reconcile_again', at: 1, nextAt: 2 });
    const owner = openStore('b', maker.path);
    expect(owner.mutations.sideOf(id)).toBe('owner');
    owner.mutations.move(id, { type: 'give_up', error: 'e' });
    owner.mutations.move(id, { type: 'resolve', as: 'user_assert_failed', at: 3 });
    const before = maker.db.value('SELECT takeover FROM mutations');
    // The maker's check was under way.
    const found = maker.mutations.move(id, { type: 'apply', result: 1 }, 'recovered');
    expect(found.type).toBe('moved');
    // And so was the answer of its call, before its lane crashed.
    expect(maker.mutations.move(id, { type: 'fail', error: 'no' }, 'maker').type).toBe('moved');
    expect(maker.db.get(columns)).toEqual({
      made: 'failed',
      recovered: 'applied',
      taken: 'failed',
      status: 'failed',
    });
    expect(maker.db.value('SELECT takeover FROM mutations')).toBe(before);
    expect(maker.mutations.get(id)).toMatchObject({
      state: { status: 'failed', resolved: { by: 'user_assert_failed' } },
      made: { status: 'failed' },
      recovered: { status: 'applied' },
      stateOfMaker: { status: 'failed' },
    });
  });

  it('[OW-12] a state that this process remembers gives way to what stands beside it', () => {
    const { mutations, db } = openStore('a');
    const id = mutationId('r');
    mutations.markInFlight({ handlerRunId: 'r', workflowId: 'w', epoch: 1 }, call);
    mutations.move(id, { type: 'doubt', error: 'e' }, 'recovered');
    expect(mutations.move(id, { type: 'fail', error: 'e' }).type).toBe('moved');
    expect(db.get(columns)).toEqual({
      made: 'in_flight',
      recovered: 'failed',
      taken: null,
      status: 'failed',
    });
  });

  it('[OW-13] the database refuses a second column in one write, and the removal of one', () => {
    const { mutations, db } = openStore('a');
    mutations.markInFlight({ handlerRunId: 'r', workflowId: 'w', epoch: 1 }, call);
    const [failed, open] = [`'{"status":"failed"}'`, `'{"status":"needs_reconcile"}'`];
    for (const two of ['outcome, recovered', 'recovered, takeover', 'outcome, takeover']) {
      expect(() => db.run(`UPDATE mutations SET (${two}) = (${failed}, ${failed})`)).toThrow(
        'one writer each',
      );
    }
    db.run(`UPDATE mutations SET recovered = ${open}`);
    expect(() => db.run('UPDATE mutations SET recovered = NULL')).toThrow('illegal');
    expect(() => db.run(`UPDATE mutations SET recovered = '{"status":"in_flight"}'`)).toThrow(
      'illegal transition: mutations',
    );
  });
});

describe('takeover writes', () => {
  it('[OW-12] the maker writes progress, another device writes takeover', () => {
    const maker = openStore('a');
    const { id } = maker.handlerRuns.create({ ...base, handlerType: 'consumer' });
    const other = { ...openStore('b', maker.path) };
    other.handlerRuns.moveConsumer(id, { type: 'fail', errorType: 'internal', error: 'x', at: 1 });
    const columns =
      "SELECT progress ->> 'phase' AS made, takeover ->> 'phase' AS taken, takeover ->> 'over' AS over, phase FROM handler_runs";
    expect(maker.db.get(columns)).toEqual({
      made: 'pending',
      taken: 'failed',
      over: 'pending',
      phase: 'failed',
    });
    // The effective state has ended; the maker can still record what it knows.
    expect(maker.handlerRuns.moveConsumer(id, { type: 'prepare' }).type).toBe('rejected');
    expect(maker.handlerRuns.moveConsumer(id, { type: 'prepare' }, 'maker').type).toBe('moved');
    expect(maker.handlerRuns.asMade(id)).toEqual({ phase: 'preparing' });
    expect(maker.handlerRuns.get(id)).toMatchObject({
      state: { phase: 'failed' },
      isTakenOver: true,
    });
  });

  it("[OW-13] takeover accepts the machine's transitions from the maker's phase, except commit", () => {
    const { db, handlerRuns } = openStore();
    handlerRuns.create({ ...base, handlerType: 'consumer' });
    const events = [
      { type: 'prepare' },
      { type: 'checkpoint' },
      { type: 'mutate' },
      { type: 'settle' },
      { type: 'emit' },
      { type: 'suspend', reason: 'transient' },
      { type: 'commit', outputState: null, at: 1 },
      { type: 'fail', errorType: 'logic', error: 'x', at: 1 },
    ] as const;
    const phases = PHASES.filter((phase) => phase !== 'executing' && phase !== 'suspended');
    for (const made of phases) {
      const pure = new Set(
        events
          .map((event) => transitionConsumerRun({ phase: made } as ConsumerRunState, event))
          .flatMap((state) => (isRejection(state) ? [] : [state.phase as string])),
      );
      pure.delete('committed');
      for (const phase of PHASES) {
        force(
          db,
          'UPDATE handler_runs SET progress = ?, takeover = NULL',
          JSON.stringify({ phase: made }),
        );
        const write = (): boolean => {
          try {
            db.run('UPDATE handler_runs SET takeover = ?', JSON.stringify({ phase, over: made }));
            return true;
          } catch (error) {
            if (isRefused(error)) return false;
            throw error;
          }
        };
        expect([made, phase, write()]).toEqual([made, phase, pure.has(phase)]);
      }
    }
  });

  it('[OW-13] the database refuses a write to both columns and the removal of a takeover', () => {
    const { db, handlerRuns, mutations } = openStore();
    handlerRuns.create({ ...base, handlerType: 'consumer' });
    mutations.record({ handlerRunId: 'r', workflowId: 'w', epoch: 1 });
    const failed = `'{"phase":"failed","over":"pending"}'`;
    expect(() =>
      db.run(`UPDATE handler_runs SET progress = '{"phase":"preparing"}', takeover = ${failed}`),
    ).toThrow('two writers');
    db.run(`UPDATE handler_runs SET takeover = ${failed}`);
    expect(() => db.run('UPDATE handler_runs SET takeover = NULL')).toThrow();
    db.run(`UPDATE mutations SET takeover = '{"status":"failed"}'`);
    expect(() => db.run('UPDATE mutations SET takeover = NULL')).toThrow('illegal');
    expect(() => db.run(`UPDATE mutations SET takeover = '{"status":"applied"}'`)).toThrow(
      'illegal',
    );
  });
});
