// The maker's state and a later owner's: the pure functions and the generated columns state the same
// precedence. Every pair is tried in both.
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
import { effectiveOutcome, effectiveProgress } from '#shared/takeover-precedence.ts';
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

  it('[OW-12] for effects, the database and the pure function agree on every pair', () => {
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
          const effective = effectiveOutcome({ status: made }, taken);
          expect(db.get('SELECT status, resolved_by FROM mutations')).toEqual({
            status: effective.status,
            resolved_by: effective.resolved_by ?? null,
          });
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
    expect(() => db.run('UPDATE mutations SET takeover = NULL')).toThrow();
    expect(() => db.run(`UPDATE mutations SET takeover = '{"status":"applied"}'`)).toThrow(
      'illegal',
    );
  });
});
