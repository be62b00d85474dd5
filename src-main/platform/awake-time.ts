// Counts the time during which this process was running. A difference of wall-clock times is something
// else: it includes sleep of the computer, SIGSTOP, a paused virtual machine and changes of the clock.
//
// While the time is needed, a timer ticks once a second, and each tick adds at most its length. A tick
// that comes much too late, or a wall clock that moved differently from the monotonic one, is a jump:
// the count ends, and a new span starts at 0. Moments of two spans can't be compared. A span also ends
// with the process: how long nothing ran before the next start is unknown.
//
// Both clocks are needed. Linux stops the monotonic clock during sleep, so only the wall clock shows it;
// macOS and Windows don't, so the late tick shows it; a change of the time shows in the difference.
import type { Clock } from '#shared/clock.ts';
import type { AwakeMoment } from '#shared/doubt.ts';

export const TICK_MS = 1000;
/** A busy event loop delays a tick too. More than this is a jump. */
const MAX_GAP_MS = 5 * TICK_MS;
/** NTP slews by less than a millisecond per second. */
const MAX_CLOCK_STEP_MS = 500;

export interface AwakeTimeOptions {
  readonly clock: Clock;
  /** A name that no other span has, on any device. */
  readonly newSpan: () => string;
  /** Asked at each tick. Once false, the timer stops, so an idle host has none. */
  readonly isNeeded: () => boolean;
}

export class AwakeTime {
  readonly #options: AwakeTimeOptions;
  #span = '';
  #ms = 0;
  #wall = 0;
  #monotonic = 0;
  #cancelTick: (() => void) | undefined;

  constructor(options: AwakeTimeOptions) {
    this.#options = options;
  }

  /** Starts counting if it was not needed before. */
  now(): AwakeMoment {
    if (this.#cancelTick) this.#count();
    else this.#startSpan();
    return { span: this.#span, ms: this.#ms };
  }

  stop(): void {
    this.#cancelTick?.();
    this.#cancelTick = undefined;
  }

  #startSpan(): void {
    this.#span = this.#options.newSpan();
    this.#ms = 0;
    this.#readClocks();
    if (!this.#cancelTick) this.#schedule();
  }

  #schedule(): void {
    const { clock, isNeeded } = this.#options;
    this.#cancelTick = clock.wakeAt(clock.now() + TICK_MS, () => {
      this.#count();
      this.#cancelTick = undefined;
      if (isNeeded()) this.#schedule();
    });
  }

  #count(): void {
    const [wall, monotonic] = [this.#wall, this.#monotonic];
    this.#readClocks();
    const passed = this.#monotonic - monotonic;
    const step = Math.abs(this.#wall - wall - passed);
    if (passed < 0 || passed > MAX_GAP_MS || step > MAX_CLOCK_STEP_MS) this.#startSpan();
    else this.#ms += Math.min(passed, TICK_MS);
  }

  #readClocks(): void {
    const { clock } = this.#options;
    this.#wall = clock.now();
    this.#monotonic = clock.monotonic?.() ?? this.#wall;
  }
}
