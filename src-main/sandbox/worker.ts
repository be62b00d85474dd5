// The entry of a sandbox thread: phases come in, calls and ends go out.
import { parentPort, workerData } from 'node:worker_threads';
import {
  PULSE_PHASE,
  PULSE_BEAT,
  type FromThread,
  type ThreadData,
  type ToThread,
} from '#main/sandbox/messages.ts';
import { createOutbox, Solitude } from '#main/sandbox/outbox.ts';
import { createImageCache } from '#main/sandbox/thread/image-cache.ts';
import { createMachines } from '#main/sandbox/thread/machines.ts';
import { createPhase, type Phase } from '#main/sandbox/thread/phase.ts';
import type { Image } from '#main/sandbox/vm/image.ts';
import type { Machine } from '#main/sandbox/vm/machine.ts';

interface Place {
  readonly phase: Phase;
  /** Held while it computes; while it waits, unless it was put aside. */
  machine: Machine | undefined;
  readonly timer: NodeJS.Timeout;
}

/** Beyond this a timer of Node would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

const port = parentPort;
if (!port) throw new Error('worker.ts is the entry of a thread.');
const { wasm, stackPointer, pulse } = workerData as ThreadData;
const beat = new Int32Array(pulse);
const images = createImageCache();
const places = new Map<number, Place>();
let lastBeginning: Image | undefined;
const machines = createMachines({
  wasm,
  stackPointer,
  putAside,
  onBroken: (error) => {
    throw error;
  },
});

const solitude = new Solitude();
const report = createOutbox<FromThread>((messages) => port.postMessage(messages), solitude);

port.on('message', (messages: readonly ToThread[]) => messages.forEach(take));

function take(message: ToThread): void {
  if (message.type === 'run') {
    const phase = createPhase(message, images, alive);
    const timer = setTimeout(
      () => endByTime(phase.id),
      Math.min(message.limits.wallMs, MAX_TIMER_MS),
    );
    const place: Place = { phase, machine: undefined, timer };
    solitude.joined(places.size);
    places.set(phase.id, place);
    withMachine(place, (machine) => phase.start(machine));
    return;
  }
  const place = places.get(message.id);
  // It ended meanwhile, by its time.
  if (!place) return;
  if (message.type === 'drop') leave(place);
  else withMachine(place, (machine) => place.phase.answer(machine, message.replies));
}

function withMachine(place: Place, work: (machine: Machine) => FromThread): void {
  if (place.machine) compute(place, place.machine, work);
  else {
    machines.take((machine) => {
      if (places.get(place.phase.id) !== place) machines.giveBack(machine);
      else {
        const { aside } = place.phase;
        if (aside) machine.restore(aside);
        place.phase.aside = undefined;
        compute(place, machine, work);
      }
    });
  }
}

function compute(place: Place, machine: Machine, work: (machine: Machine) => FromThread): void {
  const { phase } = place;
  place.machine = machine;
  machine.listener = phase.listener;
  alive();
  Atomics.store(beat, PULSE_PHASE, phase.id);
  const said = work(machine);
  Atomics.store(beat, PULSE_PHASE, 0);
  report(said);
  if (said.type !== 'calls' || phase.callsEndIt) leave(place);
  else {
    // The last to wait is the last to be put aside.
    places.delete(phase.id);
    places.set(phase.id, place);
  }
}

function alive(): void {
  Atomics.add(beat, PULSE_BEAT, 1);
}

function putAside(): Machine | undefined {
  for (const place of places.values()) {
    const { machine } = place;
    if (machine && !machine.hasGrown()) {
      place.phase.aside = machine.capture();
      place.machine = undefined;
      return machine;
    }
  }
  return undefined;
}

function endByTime(id: number): void {
  const place = places.get(id);
  if (!place) return;
  leave(place);
  report(place.phase.overtime());
}

function leave(place: Place): void {
  const { phase, machine, timer } = place;
  clearTimeout(timer);
  places.delete(phase.id);
  place.machine = undefined;
  if (!machine) return;
  const beginning = phase.beginning();
  // Twice the same script: one run alone, or many of one workflow. Else who comes next is anyone's guess.
  const next = beginning === lastBeginning ? beginning : undefined;
  lastBeginning = beginning;
  if (phase.isMachineBroken()) machines.discard();
  else machines.giveBack(machine, next);
}
