// The maker's word and a later owner's: what counts is said twice, in the pure function and in the
// generated column, and every pair is tried in both.
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
import { countsOfEffect, countsOfRun } from '#shared/takeover-precedence.ts';
import { openStore } from '#test/support/open-store.ts';

const base = { scriptRunId: 's', workflowId: 'w', handlerName: 'h', inputState: null, epoch: 1 };

function force(db: Database, sql: string, ...params: unknown[]): void {
  db.run('SELECT crsql_internal_sync_bit(1)');
  db.run(sql, ...params);
  db.run('SELECT crsql_internal_sync_bit(0)');
}

describe('what counts', () => {
  it('[OW-12] of a run: the database and the pure function agree on every pair', () => {
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
          const counts = countsOfRun({ phase: made }, taken);
          expect(db.value('SELECT phase FROM handler_runs')).toBe(counts.phase);
        }
      }
    }
  });

  it('[OW-12] of an effect: the database and the pure function agree on every pair', () => {
    const { db, mutations } = openStore();
    mutations.record({ handlerRunId: 'r', workflowId: 'w', epoch: 1 });
    for (const made of MUTATION_STATUSES) {
      for (const status of [null, ...MUTATION_STATUSES]) {
        for (const by of [undefined, ...RESOLUTIONS]) {
          const taken =
            status === null ? null : { status, ...(by === undefined ? {} : { resolved_by: by }) };
          force(
            db,
            'UPDATE mutations SET outcome = ?, takeover = ?',
            JSON.stringify({ status: made }),
            taken && JSON.stringify(taken),
          );
          const counts = countsOfEffect({ status: made }, taken);
          expect(db.get('SELECT status, resolved_by FROM mutations')).toEqual({
            status: counts.status,
            resolved_by: counts.resolved_by ?? null,
          });
        }
      }
    }
  });

  it('[OW-9] a run that was ended before its effect, and went on, counts as its maker says', () => {
    const ended = { phase: 'failed', over: 'prepared' } as const;
    expect(countsOfRun({ phase: 'prepared' }, ended).phase).toBe('failed');
    for (const phase of ['mutating', 'mutated', 'emitting', 'suspended'] as const) {
      expect(countsOfRun({ phase }, ended).phase).toBe(phase);
      expect(countsOfRun({ phase }, { phase: 'failed', over: 'mutating' }).phase).toBe('failed');
    }
    expect(countsOfRun({ phase: 'committed' }, ended).phase).toBe('committed');
  });
});

describe('who writes', () => {
  it('[OW-12] the maker its own column, another device the one beside it', () => {
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
    // What counts has ended; the maker itself still says what it knows.
    expect(maker.handlerRuns.moveConsumer(id, { type: 'prepare' }).type).toBe('rejected');
    expect(maker.handlerRuns.moveConsumer(id, { type: 'prepare' }, 'maker').type).toBe('moved');
    expect(maker.handlerRuns.asMade(id)).toEqual({ phase: 'preparing' });
    expect(maker.handlerRuns.get(id)).toMatchObject({
      state: { phase: 'failed' },
      isTakenOver: true,
    });
  });

  it('[OW-13] a later owner moves from what counts, as the machine says, and never commits', () => {
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

  it('[OW-13] nobody writes both columns at once, and a take-over is not taken back', () => {
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
    expect(() => db.run('UPDATE mutations SET takeover = NULL')).toThrow();
    expect(() => db.run(`UPDATE mutations SET takeover = '{"status":"applied"}'`)).toThrow(
      'illegal',
    );
  });
});
