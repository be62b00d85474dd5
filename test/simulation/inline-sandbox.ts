// The real sandbox without worker threads: the same VMs and phases on this thread, so that no result
// depends on thread scheduling.
import { askHost, endOf, readCalls, runMessage } from '#main/sandbox/host-calls.ts';
import type { FromThread } from '#main/sandbox/messages.ts';
import { compileQuickJs } from '#main/sandbox/quickjs-wasm.ts';
import { openPhase } from '#main/sandbox/open-phase.ts';
import type { OnCalls, PhaseRequest, PhaseResult, Sandbox } from '#main/sandbox/sandbox.ts';
import type { MemoryImage } from '#main/sandbox/thread/memory-image.ts';
import { createPhase, type Phase } from '#main/sandbox/thread/phase.ts';
import { createScriptCache } from '#main/sandbox/thread/script-cache.ts';
import { createVm, type Vm } from '#main/sandbox/thread/vm.ts';
import { PHASE_MEMORY_BYTES } from '#shared/limits.ts';

export function createInlineSandbox(): Sandbox {
  const memoryBytes = PHASE_MEMORY_BYTES;
  const cache = createScriptCache();
  const free: Vm[] = [];
  let base: MemoryImage | undefined;
  let lastId = 0;

  async function take(): Promise<Vm> {
    const vm = free.pop() ?? (await createVm({ wasm: await compileQuickJs(), memoryBytes, base }));
    base ??= vm.base;
    return vm;
  }

  async function run(request: PhaseRequest, onCalls: OnCalls): Promise<PhaseResult> {
    lastId += 1;
    const message = runMessage(lastId, openPhase(request, onCalls));
    if (typeof message === 'string') throw new Error(message);
    const isShared = (): boolean => false;
    const phase = createPhase(message, {
      cache,
      memoryBytes,
      onAlive: () => undefined,
      isShared,
    });
    const vm = await take();
    vm.listener = phase.listener;
    const result = await follow(phase, vm, phase.start(vm), request, onCalls);
    if (!vm.hasGrown() && !phase.isVmBroken()) free.push(vm);
    return result;
  }

  async function follow(
    phase: Phase,
    vm: Vm,
    first: FromThread,
    request: PhaseRequest,
    onCalls: OnCalls,
  ): Promise<PhaseResult> {
    let message = first;
    while (message.type === 'calls') {
      const calls = readCalls(message.calls, request);
      if (!calls) throw new Error('The code called something that this phase does not have.');
      const answer = await askHost(calls, onCalls);
      if (answer.type === 'broken') throw new Error(answer.message);
      if (answer.type === 'stop') return { type: 'stopped', logs: [] };
      message = phase.answer(vm, answer.text, false);
    }
    if (message.type === 'interrupted') throw new Error('No other phase needs this thread.');
    return { ...(await endOf(message, request, onCalls)), logs: [] };
  }

  return { run, close: async () => undefined };
}
