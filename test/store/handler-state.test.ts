import { describe, expect, it } from 'vitest';
import { MAX_STATE_BYTES } from '#shared/limits.ts';
import { openStore } from '#test/support/open-store.ts';

describe('handler state', () => {
  it('[HS-1] each handler has one state, which the next set replaces', async () => {
    const { handlerState, clock, db } = openStore();
    expect(handlerState.get('w', 'poll')).toBeUndefined();
    handlerState.set('w', 'poll', { cursor: 1 }, 'run-1');
    await clock.advance(5);
    handlerState.set('w', 'poll', { cursor: 2 }, 'run-2');
    handlerState.set('w', 'other', null, 'run-3');
    expect(handlerState.get('w', 'poll')).toEqual({
      workflowId: 'w',
      handlerName: 'poll',
      state: { cursor: 2 },
      updatedAt: clock.now(),
      updatedByRunId: 'run-2',
    });
    expect(db.get('SELECT count(*) AS n FROM handler_state')).toEqual({ n: 2 });
    expect(db.get(`SELECT * FROM handler_state WHERE handler_name = 'poll'`)).toMatchObject({
      workflow_id: 'w',
      state: '{"cursor":2}',
      updated_by_run_id: 'run-2',
    });
  });

  it('[HS-2] a state over the limit is refused with a message, and the previous state is unchanged', () => {
    const { handlerState } = openStore();
    handlerState.set('w', 'poll', { cursor: 1 }, 'run-1');
    const result = handlerState.set('w', 'poll', 'x'.repeat(MAX_STATE_BYTES), 'run-2');
    expect(result).toMatchObject({ type: 'state_too_large' });
    expect(result).toHaveProperty(
      'message',
      expect.stringContaining('previous state is unchanged'),
    );
    expect(handlerState.get('w', 'poll')?.state).toEqual({ cursor: 1 });
  });
});
