// Entry of a sandbox thread: receives phases, reports their calls and results.
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { createMessageBatcher } from '#main/sandbox/message-batcher.ts';
import {
  HEARTBEAT_COUNT,
  HEARTBEAT_IS_OWN,
  HEARTBEAT_PHASE,
  type FromThread,
  type ThreadData,
  type ToThread,
} from '#main/sandbox/messages.ts';
import { createPhase, type Phase } from '#main/sandbox/thread/phase.ts';
import { createScriptCache } from '#main/sandbox/thread/script-cache.ts';
import { createVmPool } from '#main/sandbox/thread/vm-pool.ts';
import type { Vm } from '#main/sandbox/thread/vm.ts';

interface OpenPhase {
  readonly phase: Phase;
  /** Held while the phase computes, and while it waits unless it was suspended. */
  vm: Vm | undefined;
  readonly timer: NodeJS.Timeout;
}

/** A longer timeout would make Node's timer fire immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Code that computes for long leaves the cores to the rest of the host. */
const OWN_THREAD_NICENESS = 5;

const port = parentPort;
if (!port) throw new Error('worker.ts must run as a worker thread.');
const { wasm, memoryBytes, heartbeat } = workerData as ThreadData;
const beats = new Int32Array(heartbeat);
const cache = createScriptCache();
const open = new Map<number, OpenPhase>();
const vms = createVmPool({
  wasm,
  memoryBytes,
  suspendPhase,
  onBroken: (error) => {
    throw error;
  },
});
const report = createMessageBatcher<FromThread>((messages) => port.postMessage(messages));

// On Linux a priority belongs to a thread; elsewhere this would slow the whole host.
if (!isShared() && process.platform === 'linux') lowerPriority();

port.on('message', (messages: readonly ToThread[]) => messages.forEach(receive));

function lowerPriority(): void {
  try {
    setPriority(OWN_THREAD_NICENESS);
  } catch {
    // Not allowed here: the thread competes with the others on equal terms.
  }
}

function receive(message: ToThread): void {
  if (message.type === 'run') {
    const phase = createPhase(message, { cache, memoryBytes, onAlive: beat, isShared });
    const timer = setTimeout(
      () => timeOut(phase.id),
      Math.min(Math.max(message.limits.wallMs - message.elapsedBefore, 1), MAX_TIMER_MS),
    );
    const opened: OpenPhase = { phase, vm: undefined, timer };
    open.set(phase.id, opened);
    withVm(opened, (vm) => phase.start(vm));
    return;
  }
  const opened = open.get(message.id);
  // The phase timed out meanwhile.
  if (!opened) return;
  if (message.type === 'drop') close(opened);
  else withVm(opened, (vm) => opened.phase.answer(vm, message.replies, message.canMove));
}

function withVm(opened: OpenPhase, work: (vm: Vm) => FromThread): void {
  const { phase } = opened;
  if (opened.vm) {
    compute(opened, opened.vm, work);
    return;
  }
  vms.take((vm) => {
    if (open.get(phase.id) !== opened) {
      vms.release(vm);
      return;
    }
    if (phase.suspended) vm.restore(phase.suspended);
    phase.suspended = undefined;
    compute(opened, vm, work);
  });
}

function compute(opened: OpenPhase, vm: Vm, work: (vm: Vm) => FromThread): void {
  const { phase } = opened;
  opened.vm = vm;
  vm.listener = phase.listener;
  beat();
  Atomics.store(beats, HEARTBEAT_PHASE, phase.id);
  const message = work(vm);
  Atomics.store(beats, HEARTBEAT_PHASE, 0);
  report(message);
  if (message.type !== 'calls' || phase.endsWithCalls) close(opened);
  else {
    // Keep the map in the order in which phases began to wait: the first is suspended first.
    open.delete(phase.id);
    open.set(phase.id, opened);
  }
}

function beat(): void {
  Atomics.add(beats, HEARTBEAT_COUNT, 1);
}

function isShared(): boolean {
  return Atomics.load(beats, HEARTBEAT_IS_OWN) === 0;
}

function suspendPhase(): Vm | undefined {
  for (const opened of open.values()) {
    const { vm } = opened;
    if (vm && !vm.hasGrown()) {
      opened.phase.suspended = vm.capture();
      opened.vm = undefined;
      return vm;
    }
  }
  return undefined;
}

function timeOut(id: number): void {
  const opened = open.get(id);
  if (!opened) return;
  close(opened);
  report(opened.phase.overtime());
}

function close(opened: OpenPhase): void {
  const { phase, vm, timer } = opened;
  clearTimeout(timer);
  open.delete(phase.id);
  opened.vm = undefined;
  if (!vm) return;
  if (phase.isVmBroken()) vms.discard();
  else vms.release(vm);
}
