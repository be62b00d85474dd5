// One phase inside a thread: evaluates the script, starts the handler, lets it compute until it
// waits, hands out its calls, goes on with the replies, until it ends. Knows nothing of threads.
import { performance } from 'node:perf_hooks';
import { MAX_VALUE_DEPTH } from '#main/sandbox/limits.ts';
import type { Failure, FromThread, RunMessage } from '#main/sandbox/messages.ts';
import type { Thrown } from '#main/sandbox/thread/failure.ts';
import { createGuard, Ended } from '#main/sandbox/thread/guard.ts';
import type { ImageCache } from '#main/sandbox/thread/image-cache.ts';
import { isDeeper } from '#main/sandbox/thread/json-depth.ts';
import { createLogKeeper } from '#main/sandbox/thread/log-keeper.ts';
import type { Image } from '#main/sandbox/vm/image.ts';
import type { Listener, Machine } from '#main/sandbox/vm/machine.ts';

export interface Phase {
  readonly id: number;
  readonly callsEndIt: boolean;
  readonly listener: Listener;
  /** Memory of a phase that was put aside. */
  aside: Image | undefined;
  /** Both compute until the phase waits or ends, and say which. */
  start(machine: Machine): FromThread;
  answer(machine: Machine, replies: string): FromThread;
  /** The wall time is over. */
  overtime(): FromThread;
  isMachineBroken(): boolean;
  /** What a phase of the same script begins with, where that is kept. */
  beginning(): Image | undefined;
}

export function createPhase(
  message: RunMessage,
  images: ImageCache,
  /** Called now and then while code computes: the thread is busy, but not stuck. */
  onAlive: () => void,
): Phase {
  const { id, code, fileName, now, seed } = message;
  const key = `${fileName}\n${code}`;
  const startedAt = performance.now();
  const elapsed = (): number => performance.now() - startedAt;
  const logs = createLogKeeper(() => Math.floor(now + elapsed()));
  const guard = createGuard(message.limits, fileName, elapsed);
  const unhandled: Listener['unhandled'] = new Map();

  /** Calls that wait for no answer; null while nobody has asked for them. */
  let told: string | null = null;
  const failed = (failure: Failure): FromThread => ({
    type: 'failed',
    id,
    failure,
    told,
    logs: logs.take(),
  });

  function begin(machine: Machine): FromThread {
    const image = images.get(key);
    machine.restore(image);
    if (!image) evaluate(machine);
    guard.send(machine, 'start', message.request);
    return goOn(machine);
  }

  function evaluate(machine: Machine): void {
    guard.send(machine, 'begin', JSON.stringify({ now, seed }));
    const result = machine.evaluate(code, fileName);
    const module = result.error ? guard.fail(machine, result.error) : result.value;
    guard.drain(machine);
    const state = machine.context.getPromiseState(module);
    const value = state.type === 'rejected' ? guard.fail(machine, state.error) : state;
    failIfUnhandled(machine);
    if (value.type === 'pending') throw new Ended(neverComes('The file'));
    guard.call(machine, 'adopt', value.value);
    if (isSameNextTime(machine)) images.set(key, machine.capture());
  }

  /** What the file computed for itself depends on nothing but the file. */
  function isSameNextTime(machine: Machine): boolean {
    const usedChance = machine.context.dump(guard.call(machine, 'settle')) as boolean;
    return !usedChance && !logs.hasAny() && !machine.hasGrown();
  }

  /** Computes until nothing more can be computed. */
  function goOn(machine: Machine): FromThread {
    guard.drain(machine);
    failIfUnhandled(machine);
    const text = machine.context.getString(guard.call(machine, 'take'));
    // JSON has no line of its own.
    const cut = text.indexOf('\n');
    const calls = text.slice(1, cut === -1 ? undefined : cut);
    const json = text.slice(cut + 1);
    switch (text[0]) {
      case 'f':
        told = calls;
        throw new Ended(guard.failureOf(machine, JSON.parse(json) as Thrown));
      case 'c':
        return { type: 'calls', id, calls: notTooDeep(calls, CALL_DEPTH), logs: logs.take() };
      case 'r':
        return {
          type: 'returned',
          id,
          value: notTooDeep(json),
          told: notTooDeep(calls, CALL_DEPTH),
          logs: logs.take(),
        };
      default:
        throw new Ended(neverComes('The code'));
    }
  }

  function failIfUnhandled(machine: Machine): void {
    const [reason] = unhandled.values();
    if (reason !== undefined) guard.fail(machine, machine.valueAt(reason));
  }

  return {
    id,
    callsEndIt: message.callsEndIt,
    listener: {
      interrupted(machine) {
        onAlive();
        return guard.isOver(machine);
      },
      elapsed,
      log: logs.add,
      unhandled,
    },
    aside: undefined,
    start: (machine) => guard.compute(machine, () => begin(machine), failed),
    answer: (machine, replies) =>
      guard.compute(
        machine,
        () => {
          guard.send(machine, 'answer', replies);
          return goOn(machine);
        },
        failed,
      ),
    overtime: () => failed(guard.overtime()),
    isMachineBroken: guard.isBroken,
    beginning: () => images.get(key),
  };
}

function neverComes(who: string): Failure {
  return thrownByUs(
    `${who} waits for something that can never come: a promise that nothing will settle.`,
  );
}

/** A call is an object in a list. */
const CALL_DEPTH = 2;

function notTooDeep(json: string, envelope = 0): string {
  if (!isDeeper(json, MAX_VALUE_DEPTH + envelope)) return json;
  throw new Ended(
    thrownByUs(`A value is nested too deeply: at most ${MAX_VALUE_DEPTH} levels are kept.`),
  );
}

const thrownByUs = (message: string): Failure => ({ cause: 'thrown', message, stack: message });
