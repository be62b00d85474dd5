// Clean-up of unreferenced artifacts and of webhook proofs that are no longer needed.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { automationRunId } from '#shared/ids.ts';
import { proofsNeededSince } from '#shared/inputs/replay-window.ts';
import { DAY, retentionOf, withInputs } from '#test/support/ended-inputs.ts';
import { POSTER } from '#test/support/start-engine.ts';
import { startInputs } from '#test/support/start-inputs.ts';

describe('artifacts', () => {
  it('[AF-6] that no row refers to are removed after a grace time; shared ones stay', async () => {
    const inputs = await withInputs();
    const [first = '', , last = ''] = inputs.ids;
    const { artifacts } = inputs;
    const archived = inputs.run(first);
    const remaining = inputs.run(last);
    expect(archived.artifacts?.policy).toBe(remaining.artifacts?.policy);
    const { retention } = retentionOf(inputs);
    await retention.pass();
    const refs = [
      archived.artifacts?.enrichment,
      archived.artifacts?.sources,
      archived.completionArtifactRef,
    ];
    for (const ref of refs) expect(await artifacts.has(ref ?? '')).toBe(true);
    await inputs.pass(3 * DAY);
    await retention.pass();
    expect(await artifacts.has(archived.artifacts?.enrichment ?? '')).toBe(false);
    const { enrichment, sources, policy } = remaining.artifacts ?? {};
    for (const ref of [enrichment, sources, policy, remaining.completionArtifactRef]) {
      expect(await artifacts.has(ref ?? ''), ref ?? 'none').toBe(true);
    }
  });

  it('[AF-14] attached to an archived input are archived with it, and content that another row has stays', async () => {
    const inputs = await withInputs();
    const { store } = inputs.under;
    const [first = '', , last = ''] = inputs.ids;
    const attach = async (inputId: string, text: string): Promise<string> => {
      const { ref, bytes } = await inputs.artifacts.put(Buffer.from(text));
      const runId = automationRunId(inputId);
      const facts = { name: text, type: 'text/plain', maker: 'person', cause: text } as const;
      store.artifacts.insert({ ...facts, runId, bytes, sha256: ref });
      return ref;
    };
    const own = await attach(first, 'own');
    const shared = await attach(first, 'shared');
    await inputs.pass(10 * DAY);
    const young = await inputs.start(inputs.workflowId, { n: 4 });
    expect(await attach(young, 'shared')).toBe(shared);
    const { retention, lines } = retentionOf(inputs);
    await inputs.pass(2 * 60 * 60_000);
    await retention.pass();
    expect(store.artifacts.ofRun(automationRunId(first), 5)).toEqual([]);
    expect(inputs.run(last)).toBe(undefined);
    const archived = lines().filter(({ table }) => table === 'artifacts');
    expect(archived.length).toBe(2);
    expect(await inputs.artifacts.has(own)).toBe(false);
    expect(await inputs.artifacts.has(shared)).toBe(true);
  });

  it('[AF-6] a removed policy is stored again for the next input', async () => {
    const inputs = startInputs();
    const { store } = inputs.under;
    const workflowId = await inputs.under.add(POSTER);
    const first = await inputs.start(workflowId, { n: 1 });
    const policy = inputs.run(first).artifacts?.policy ?? '';
    await inputs.pass(3 * DAY);
    // As if its only row was archived.
    await inputs.artifacts.sweep(new Set(), store.clock.now() - DAY);
    expect(await inputs.artifacts.has(policy)).toBe(false);
    const second = await inputs.start(workflowId, { n: 2 });
    expect(inputs.run(second).artifacts?.policy).toBe(policy);
    expect(await inputs.artifacts.has(policy)).toBe(true);
  });
});

describe('webhook proofs', () => {
  const at = { rotatedAt: null, previousUntil: null };

  it('[IG-13] are needed as long as their signature is valid', () => {
    const stripe = { kind: 'stripe', toleranceS: 60 } as const;
    expect(proofsNeededSince({ auth: stripe, ...at }, 1_000_000)).toBe(880_000);
    expect(proofsNeededSince({ auth: { kind: 'stripe' }, ...at }, 1_000_000)).toBe(400_000);
    const github = { kind: 'github' } as const;
    expect(proofsNeededSince({ auth: github, ...at }, 1_000_000)).toBeNull();
    const rotated = { auth: github, rotatedAt: 500, previousUntil: 2000 };
    expect(proofsNeededSince(rotated, 1999)).toBeNull();
    expect(proofsNeededSince(rotated, 2000)).toBe(500);
    expect(proofsNeededSince({ ...rotated, previousUntil: null }, 600)).toBe(500);
  });

  it('[IG-13] are deleted when they are no longer needed, and not before', async () => {
    const inputs = startInputs();
    const { store } = inputs.under;
    const workflowId = await inputs.under.add(POSTER);
    const make = (name: string, kind: 'github' | 'stripe'): string =>
      store.hooks.add(randomUUID(), {
        id: randomUUID(),
        name,
        workflowId,
        topic: 'in',
        auth: { kind },
        dedup: { by: 'header', name: 'x-id' },
        redactPaths: [],
      }).id;
    const [github, stripe] = [make('g', 'github'), make('s', 'stripe')];
    const proofs = (): string[] =>
      store.db
        .all<{ hook_id: string }>('SELECT hook_id FROM hook_proofs')
        .map(({ hook_id: id }) => id)
        .toSorted();
    for (const id of [github, stripe]) {
      store.db.write(() => store.hooks.inputOfProof(id, 'proof', 'input'));
    }
    const { retention } = retentionOf(inputs);
    await inputs.pass(9 * 60_000);
    await retention.pass();
    expect(proofs()).toEqual([github, stripe].toSorted());
    await inputs.pass(2 * 60_000);
    await retention.pass();
    expect(proofs()).toEqual([github]);
    store.hooks.rotated(github, store.clock.now() + 60_000);
    await retention.pass();
    expect(proofs()).toEqual([github]);
    await inputs.pass(60_000);
    await retention.pass();
    expect(proofs()).toEqual([]);
  });
});
