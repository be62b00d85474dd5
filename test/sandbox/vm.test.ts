import { describe, expect, it } from 'vitest';
import { compileQuickJs } from '#main/sandbox/quickjs-wasm.ts';
import { createScriptCache } from '#main/sandbox/thread/script-cache.ts';
import { createVm, type Vm, type VmListener } from '#main/sandbox/thread/vm.ts';

const options = { wasm: await compileQuickJs(), memoryBytes: 16 * 1024 * 1024 };

/** The file's default export has one handler, whose result `take` returns. */
function evaluate(vm: Vm, body: string): string {
  vm.evaluate(`export default { consumers: { c: { prepare() { ${body} } } } }`, 'mine.ts');
  vm.runJobs();
  expect(vm.call('loaded')).toBe('pure');
  return run(vm);
}

function run(vm: Vm): string {
  const values = { now: 0, seed: '', runId: '' };
  const entry = { kind: 'consumer', name: 'c', method: 'prepare' };
  vm.call('start', JSON.stringify({ entry, args: [], tools: '{}', values, prefetched: {} }));
  vm.runJobs();
  return vm.call('take').slice(1).trim();
}

describe('VM', () => {
  it('[SB-3] restore brings back the base image', async () => {
    const vm = await createVm(options);
    expect(evaluate(vm, 'globalThis.a = 1; Array.prototype.map = 1; return "x".repeat(9)')).toBe(
      '"xxxxxxxxx"',
    );
    expect(vm.capture()).not.toEqual(vm.base);
    vm.restore(vm.base);
    expect(vm.capture()).toEqual(vm.base);
    expect(evaluate(vm, 'return typeof a + typeof [].map')).toBe('"undefinedfunction"');
  });

  it('[SB-3] a VM continues from the image of another VM', async () => {
    const first = await createVm(options);
    const second = await createVm({ ...options, base: first.base });
    evaluate(first, 'globalThis.count = (globalThis.count ?? 40) + 1; return count');
    const image = first.capture();
    expect(run(first)).toBe('42');
    second.restore(image);
    expect(run(second)).toBe('42');
    expect(run(first)).toBe('43');
  });

  it('[SB-3] a VM whose base differs from the others is refused', async () => {
    const { base } = await createVm(options);
    await expect(createVm({ ...options, memoryBytes: 8_000_000, base })).rejects.toThrow('differ');
  });

  it('[SB-4] unhandled rejections are reported, and removed when a handler is added', async () => {
    const vm = await createVm(options);
    const unhandled: VmListener['unhandled'] = new Map();
    vm.listener = { ...vm.listener, unhandled };
    evaluate(vm, 'globalThis.lost ??= Promise.reject("why"); return 1');
    const [reason] = unhandled.values();
    expect(reason?.toString()).toBe('why');
    evaluate(vm, 'lost.catch(() => {}); return 1');
    expect(unhandled.size).toBe(0);
    evaluate(vm, 'for (let i = 0; i < 100; i++) Promise.reject(i); return 1');
    expect(unhandled.size).toBe(100);
  });
});

describe('script cache', () => {
  const image = (size: number) => ({ addresses: new Uint32Array(), bytes: new Uint8Array(size) });

  it('the script cache evicts the least recently used image when it is full', () => {
    const cache = createScriptCache(1000);
    cache.set('a', image(400));
    cache.set('b', image(400));
    expect(cache.get('a')).toBeDefined();
    cache.set('c', image(400));
    expect(['a', 'b', 'c'].filter((key) => cache.get(key))).toEqual(['a', 'c']);
  });
});
