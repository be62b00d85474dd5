// A session's end says how its runs ended.
import { describe, expect, it } from 'vitest';
import { LOGIC_FAILURES_BEFORE_ASIDE, RETRY_MAX_MS, SESSION_LINGER_MS } from '#shared/limits.ts';
import { POSTER, startEngine, type EngineUnderTest } from '#test/support/start-engine.ts';

const newest = ({ store }: EngineUnderTest): object | undefined =>
  store.scriptRuns.list({ limit: 1 }).runs[0]?.state;

describe('the end of a session', () => {
  it('[SR-15] is completed if all its runs committed, also after a kill', async () => {
    const first = startEngine();
    const workflowId = await first.add(POSTER);
    await first.publish(workflowId, 'in', 'm1');
    expect(newest(first)).toMatchObject({ status: 'running' });
    const second = first.restart();
    await second.idle();
    expect(newest(second)).toMatchObject({ status: 'completed' });
  });

  it('[SR-15] is completed if a failed run was retried with success', async () => {
    const under = startEngine();
    const workflowId = await under.add(POSTER);
    under.outside.answers.push({ type: 'not_sent', error: 'no network', errorType: 'network' });
    await under.publish(workflowId, 'in', 'm1');
    await under.pass(1000);
    expect(under.runs(workflowId).map(({ state }) => state.phase)).toEqual(['failed', 'committed']);
    await under.pass(SESSION_LINGER_MS);
    expect(newest(under)).toMatchObject({ status: 'completed' });
  });

  it('[SR-15] is failed if a run failed for good, and counts such runs', async () => {
    const under = startEngine();
    const workflowId = await under.add(
      POSTER.replace(
        'return { reservations: [event]',
        "throw new Error('no'); return { x: [event]",
      ),
    );
    await under.publish(workflowId, 'in', 'm1');
    for (let n = 1; n < LOGIC_FAILURES_BEFORE_ASIDE; n += 1) await under.pass(RETRY_MAX_MS);
    await under.pass(SESSION_LINGER_MS);
    expect(newest(under)).toMatchObject({ status: 'failed', error: '1 run failed.' });
  });

  it('[SR-15] is suspended if a run waits for a person or for its retry', async () => {
    const under = startEngine();
    const workflowId = await under.add(POSTER);
    under.outside.answers.push({ type: 'ambiguous', error: 'lost' });
    await under.publish(workflowId, 'in', 'm1');
    await under.pass(SESSION_LINGER_MS);
    expect(newest(under)).toMatchObject({ status: 'suspended' });
  });

  it('[SR-15] is suspended, not failed, if a kill cut a run off', async () => {
    const first = startEngine();
    const workflowId = await first.add(POSTER);
    first.dieAt('prepare:after');
    await first.publish(workflowId, 'in', 'm1').catch(() => undefined);
    const second = first.crash();
    const { runs } = second.store.scriptRuns.list({ limit: 10 });
    const session = runs.find(({ state }) => 'error' in state);
    expect(session?.state).toMatchObject({
      status: 'suspended',
      error: 'Holdfast stopped in the middle of this session.',
    });
  });
});
