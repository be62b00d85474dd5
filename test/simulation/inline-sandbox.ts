// The real sandbox without its threads: the same machines and phases, but in this thread, so that
// nothing depends on which thread is faster.
import { askHost, endOf, readCalls, runMessage } from '#main/sandbox/host-calls.ts';
import type { FromThread } from '#main/sandbox/messages.ts';
import type { OnCalls, PhaseRequest, PhaseResult, Sandbox } from '#main/sandbox/sandbox.ts';
import { createImageCache } from '#main/sandbox/thread/image-cache.ts';
import { createPhase } from '#main/sandbox/thread/phase.ts';
import { compileQuickJs } from '#main/sandbox/vm/compile.ts';
import { createMachine, type Machine, type Origin } from '#main/sandbox/vm/machine.ts';

export function createInlineSandbox(): Sandbox {
  const images = createImageCache();
  const free: Machine[] = [];
  let origin: Origin | undefined;
  let lastId = 0;

  async function take(): Promise<Machine> {
    const { wasm, stackPointer } = await compileQuickJs();
    const machine = free.pop() ?? (await createMachine(wasm, stackPointer, origin));
    origin ??= machine.origin;
    return machine;
  }

  async function run(request: PhaseRequest, onCalls: OnCalls): Promise<PhaseResult> {
    lastId += 1;
    const message = runMessage(lastId, request);
    if (typeof message === 'string') throw new Error(message);
    const phase = createPhase(message, images, () => undefined);
    const machine = await take();
    machine.listener = phase.listener;
    let said: FromThread = phase.start(machine);
    while (said.type === 'calls') {
      const calls = readCalls(said.calls, request);
      if (!calls) throw new Error('The code asked for something that does not exist for it.');
      const answer = await askHost(calls, onCalls);
      machine.listener = phase.listener;
      if (answer.type === 'broken') throw new Error(answer.message);
      if (answer.type === 'stop') return giveBack(machine, { type: 'stopped', logs: [] });
      said = phase.answer(machine, answer.text);
    }
    return giveBack(machine, { ...(await endOf(said, request, onCalls)), logs: [] });
  }

  function giveBack(machine: Machine, result: PhaseResult): PhaseResult {
    if (!machine.hasGrown()) free.push(machine);
    return result;
  }

  return { run, close: async () => undefined };
}
