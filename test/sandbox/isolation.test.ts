import { afterAll, describe, expect, it } from 'vitest';
import { createSandbox } from '#main/sandbox/pool.ts';
import { answerWith, createPhases, fileWith, FILE } from '#test/sandbox/phases.ts';

const { run, value } = createPhases();

describe('isolation of phases', () => {
  it('[SB-3] globals and module variables are fresh in every phase', async () => {
    const body = 'count += 1; globalThis.seen = (globalThis.seen ?? 0) + 1; return [count, seen]';
    const top = 'let count = 0;';
    for (let round = 0; round < 3; round += 1) expect(await value(body, { top })).toEqual([1, 1]);
  });

  it("[SB-3] pollution of intrinsics doesn't survive the phase", async () => {
    const pollute = `
      const seen = new Set();
      const spoil = (object) => {
        if (object === null || !['object', 'function'].includes(typeof object) || seen.has(object)) return;
        seen.add(object);
        for (const key of Reflect.ownKeys(object)) {
          const { value, get, set } = Reflect.getOwnPropertyDescriptor(object, key);
          spoil(value); spoil(get); spoil(set);
          try { if (typeof value === 'function') object[key] = () => 'spoilt'; } catch {}
        }
        spoil(Reflect.getPrototypeOf(object));
        try { object.spoilt = true; } catch {}
      };
      const before = seen.size;
      spoil(ctx); spoil(globalThis);
      return 1`;
    const polluted = await run(pollute);
    expect(['returned', 'failed']).toContain(polluted.type);
    const clean = `
      const seen = new Set();
      const found = [];
      const look = (object, path) => {
        if (object === null || !['object', 'function'].includes(typeof object) || seen.has(object)) return;
        seen.add(object);
        if (Object.hasOwn(object, 'spoilt')) found.push(path);
        for (const key of Reflect.ownKeys(object)) {
          const { value, get, set } = Reflect.getOwnPropertyDescriptor(object, key);
          look(value, path + '.' + String(key)); look(get, path); look(set, path);
        }
        look(Reflect.getPrototypeOf(object), path + '.^');
      };
      look(globalThis, '');
      return { found, many: seen.size > 300, sum: [1, 2].map((n) => n + 1) }`;
    expect(await value(clean)).toEqual({ found: [], many: true, sum: [2, 3] });
  });

  it('[SB-3] new memory contains nothing of the previous phase', async () => {
    await value(
      'const all = []; for (let i = 0; i < 50; i++) all.push(new Uint8Array(4096).fill(0xab)); return 1',
    );
    const sum = await value('return [...new Uint8Array(200_000)].reduce((a, b) => a + b, 0)');
    expect(sum).toBe(0);
  });

  it('[SB-3] 100 phases that wait at the same time are isolated', async () => {
    const many = Array.from({ length: 100 }, (_, index) =>
      value(
        `globalThis.mine = ${index}; Object.prototype.mine = ${index};
         const got = await ctx.peek('a');
         await ctx.peek('b');
         return [got, globalThis.mine, {}.mine, args[0]]`,
        { args: [index], onCalls: answerWith({ index }) },
      ),
    );
    const results = await Promise.all(many);
    for (const [index, result] of results.entries()) {
      expect(result).toEqual([{ index }, index, index, index]);
    }
  });
});

describe('memory of the host', () => {
  const sandbox = createSandbox({ workers: 1, memoryBytes: 16 * 1024 * 1024 });
  afterAll(() => sandbox.close());

  it('[SB-3] 4000 phases grow the resident memory by less than 60 MiB', async () => {
    const once = async (count: number): Promise<void> => {
      for (let done = 0; done < count; done += 50) {
        await Promise.all(
          Array.from({ length: 50 }, (_, index) =>
            sandbox.run(
              {
                // A mix of small, large, failing and stopped phases.
                code: fileWith(
                  index === 0
                    ? 'return new Array(100_000).fill("x").length'
                    : index < 5
                      ? 'throw new Error("no")'
                      : 'const got = await ctx.peek("a"); return got',
                ),
                fileName: FILE,
                entry: { kind: 'consumer', name: 'c', method: 'prepare' },
                args: [],
                tools: {},
                values: { now: 0, seed: '', runId: 'r' },
                limits: { cpuMs: 5000, wallMs: 30_000 },
              },
              async (calls) =>
                calls.map(() => (index % 2 ? { type: 'stop' } : { type: 'value', value: 1 })),
            ),
          ),
        );
      }
    };
    await once(1000);
    const before = process.memoryUsage.rss();
    await once(4000);
    const grown = (process.memoryUsage.rss() - before) / 1024 / 1024;
    expect(grown).toBeLessThan(60);
  });
});
