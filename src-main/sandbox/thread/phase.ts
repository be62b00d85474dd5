// One phase inside a thread: evaluates the script, starts the handler, runs it until it waits,
// hands out its calls and continues with the replies until it ends.
import { performance } from 'node:perf_hooks';
import { MAX_VALUE_DEPTH } from '#main/sandbox/limits.ts';
import type { Failure, FromThread, RunMessage } from '#main/sandbox/messages.ts';
import type { Thrown } from '#main/sandbox/thread/failure.ts';
import { createGuard, PhaseEnded } from '#main/sandbox/thread/guard.ts';
import { isDeeper } from '#main/boundary/json-depth.ts';
import { createLogBuffer } from '#main/sandbox/thread/log-buffer.ts';
import type { MemoryImage } from '#main/sandbox/thread/memory-image.ts';
import { createReplayableClock } from '#main/sandbox/thread/replayable-clock.ts';
import type { ScriptCache } from '#main/sandbox/thread/script-cache.ts';
import type { Vm, VmListener } from '#main/sandbox/thread/vm.ts';

export interface Phase {
  readonly id: number;
  readonly endsWithCalls: boolean;
  readonly listener: VmListener;
  /** The memory of a phase that was suspended while it waited. */
  suspended: MemoryImage | undefined;
  /** Both run code until the phase waits, ends, or must start over in another thread. */
  start(vm: Vm): FromThread;
  answer(vm: Vm, replies: string, canMove: boolean): FromThread;
  /** The wall time is over. */
  overtime(): FromThread;
  isVmBroken(): boolean;
}

export interface PhaseOptions {
  readonly cache: ScriptCache;
  readonly memoryBytes: number;
  /** Called regularly while code runs: the thread is busy, not stuck. */
  readonly onAlive: () => void;
  /** Whether other phases may wait for the thread. */
  readonly isShared: () => boolean;
}

export function createPhase(
  message: RunMessage,
  { cache, memoryBytes, onAlive, isShared }: PhaseOptions,
): Phase {
  const { id, code, fileName, now, seed } = message;
  const key = `${fileName}\n${code}`;
  const startedAt = performance.now();
  const elapsed = (): number => message.elapsedBefore + performance.now() - startedAt;
  const clock = createReplayableClock(message.clockReadings, elapsed);
  let canMove = true;
  const logs = createLogBuffer(() => Math.floor(now + elapsed()));
  const guard = createGuard({
    limits: message.limits,
    memoryBytes,
    file: message,
    elapsed,
    mustMakeRoom: () => canMove && isShared(),
  });
  const unhandled: VmListener['unhandled'] = new Map();

  /** Calls that wait for no answer; null if the phase ended before they could be read. */
  let deferred: string | null = null;
  const failed = (failure: Failure): FromThread => ({
    type: 'failed',
    id,
    failure,
    deferred,
    logs: logs.take(),
  });

  function begin(vm: Vm): FromThread {
    const image = cache.get(key);
    vm.restore(image ?? vm.base);
    if (!image) evaluate(vm);
    vm.call('start', message.request);
    return proceed(vm);
  }

  function evaluate(vm: Vm): void {
    vm.call('begin', JSON.stringify({ now, seed }));
    vm.evaluate(code, fileName);
    vm.runJobs();
    const state = vm.call('loaded');
    if (state.startsWith('f')) throw thrown(state.slice(1));
    failIfUnhandled(vm);
    if (state === 'pending') throw new PhaseEnded(neverSettles('The file'));
    // A file that uses no clock, no random numbers and no output always evaluates to the same image.
    if (state === 'pure' && !logs.hasAny() && !vm.hasGrown()) cache.set(key, vm.capture());
  }

  /** Runs until the code can compute nothing more. */
  function proceed(vm: Vm): FromThread {
    vm.runJobs();
    failIfUnhandled(vm);
    const text = vm.call('take');
    // JSON text contains no line break.
    const cut = text.indexOf('\n');
    const calls = text.slice(1, cut === -1 ? undefined : cut);
    const json = text.slice(cut + 1);
    switch (text[0]) {
      case 'f':
        deferred = calls;
        throw thrown(json);
      case 'c':
        return {
          type: 'calls',
          id,
          calls: notTooDeep(calls, CALL_DEPTH),
          clockReadings: clock.take(),
          logs: logs.take(),
        };
      case 'r':
        return {
          type: 'returned',
          id,
          value: notTooDeep(json),
          deferred: notTooDeep(calls, CALL_DEPTH),
          logs: logs.take(),
        };
      default:
        throw new PhaseEnded(neverSettles('The code'));
    }
  }

  function failIfUnhandled(vm: Vm): void {
    const [reason] = unhandled.values();
    if (reason !== undefined) throw thrown(vm.call('describe', reason));
  }

  const thrown = (json: string): PhaseEnded =>
    new PhaseEnded(guard.failureOf(JSON.parse(json) as Thrown));

  const compute = (vm: Vm, work: () => FromThread): FromThread =>
    guard.compute(vm, work, failed) ?? { type: 'interrupted', id };

  return {
    id,
    endsWithCalls: message.endsWithCalls,
    listener: {
      interrupt(vm) {
        onAlive();
        guard.interrupt(vm);
      },
      elapsed: clock.read,
      log: logs.add,
      unhandled,
    },
    suspended: undefined,
    start: (vm) => compute(vm, () => begin(vm)),
    answer(vm, replies, mayMove) {
      canMove = mayMove;
      return compute(vm, () => {
        vm.call('answer', replies);
        return proceed(vm);
      });
    },
    overtime: () => failed(guard.overtime()),
    isVmBroken: guard.isVmBroken,
  };
}

function neverSettles(subject: string): Failure {
  return thrownByUs(`${subject} waits for a promise that never settles.`);
}

/** A call is an object in a list. */
const CALL_DEPTH = 2;

function notTooDeep(json: string, envelope = 0): string {
  if (!isDeeper(json, MAX_VALUE_DEPTH + envelope)) return json;
  throw new PhaseEnded(
    thrownByUs(`A value is nested too deeply: at most ${MAX_VALUE_DEPTH} levels are allowed.`),
  );
}

const thrownByUs = (message: string): Failure => ({ cause: 'thrown', message, stack: message });
