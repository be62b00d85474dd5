import { describe, expect, it } from 'vitest';
import { compileQuickJs } from '#main/sandbox/vm/compile.ts';
import { editWasm, TABLE_EXPORT } from '#main/sandbox/vm/edit-wasm.ts';
import { createMachine, type Machine } from '#main/sandbox/vm/machine.ts';

const { wasm, stackPointer } = await compileQuickJs();

function evaluate(machine: Machine, code: string): unknown {
  const { context } = machine;
  return context.unwrapResult(context.evalCode(code)).consume(context.dump);
}

describe('a machine', () => {
  it('[SB-3] is exactly what it was once its memory is put back', async () => {
    const machine = await createMachine(wasm, stackPointer);
    machine.restore();
    const before = machine.capture();
    expect(before.addresses).toHaveLength(0);
    evaluate(machine, 'globalThis.a = "x".repeat(1000); Array.prototype.map = 1; a.length');
    expect(machine.capture().addresses.length).toBeGreaterThan(0);
    machine.restore();
    expect(machine.capture().addresses).toHaveLength(0);
    expect(evaluate(machine, 'typeof a + typeof [].map')).toBe('undefinedfunction');
  });

  it('[SB-3] takes an image of another one and goes on where that was', async () => {
    const first = await createMachine(wasm, stackPointer);
    const second = await createMachine(wasm, stackPointer, first.origin);
    first.restore();
    evaluate(first, 'globalThis.count = 41; globalThis.next = () => ++count; 1');
    const image = first.capture();
    evaluate(first, 'next()');
    second.restore(image);
    expect(evaluate(second, 'next()')).toBe(42);
    expect(evaluate(first, 'next()')).toBe(43);
  });

  it('[SB-4] reports a rejection without a handler, and the handler that comes later', async () => {
    const machine = await createMachine(wasm, stackPointer);
    machine.restore();
    const unhandled = new Map<bigint, number>();
    machine.listener = { ...machine.listener, unhandled };
    evaluate(machine, 'globalThis.lost = Promise.reject("why"); 1');
    expect(unhandled.size).toBe(1);
    const [reason] = unhandled.values();
    expect(machine.context.dump(machine.valueAt(reason ?? 0))).toBe('why');
    evaluate(machine, 'lost.catch(() => {}); 1');
    expect(unhandled.size).toBe(0);
  });

  it('[SB-4] counts each one, though the promise itself is gone', async () => {
    const machine = await createMachine(wasm, stackPointer);
    machine.restore();
    const unhandled = new Map<bigint, number>();
    machine.listener = { ...machine.listener, unhandled };
    evaluate(machine, 'for (let i = 0; i < 100; i++) Promise.reject(i); 1');
    expect(unhandled.size).toBe(100);
  });

  it('[SB-10] of a binary that is not the known one is refused, not guessed at', () => {
    const header = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
    expect(() => editWasm(Uint8Array.from(header), 1)).toThrow('no stack pointer');
    expect(() => editWasm(Uint8Array.from([...header, 2, 1, 0]), 1)).toThrow('does not import');
    expect(() => editWasm(Uint8Array.from([...header, 2, 0x80]), 1)).toThrow('ends too early');
    expect(WebAssembly.Module.exports(wasm).map(({ name }) => name)).toContain(TABLE_EXPORT);
  });
});
