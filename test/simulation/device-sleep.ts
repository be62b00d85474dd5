// A device that sleeps does nothing: its timers, the end of its fsyncs and answers wait until it wakes.
import type { Clock } from '#shared/clock.ts';
import type { Link, LinkEnd } from '#main/sync/link/link.ts';

export interface SleepOptions {
  readonly clock: Pick<Clock, 'now'>;
  readonly stopsMonotonic: boolean;
}

export class DeviceSleep {
  readonly #options: SleepOptions;
  #isAsleep = false;
  #fellAsleepAt = 0;
  #sleptMs = 0;
  #waiting: (() => void)[] = [];
  /** How often the device fell asleep. */
  count = 0;

  constructor(options: SleepOptions) {
    this.#options = options;
  }

  get isAsleep(): boolean {
    return this.#isAsleep;
  }

  fallAsleep(): void {
    if (!this.#isAsleep) this.#fellAsleepAt = this.#options.clock.now();
    this.#isAsleep = true;
    this.count += 1;
  }

  wakeUp(): void {
    if (this.#isAsleep) this.#sleptMs += this.#options.clock.now() - this.#fellAsleepAt;
    this.#isAsleep = false;
    // One of them can make the device sleep again.
    while (!this.#isAsleep && this.#waiting.length > 0) this.#waiting.shift()?.();
  }

  /** The process has ended, and the machine starts awake. */
  forget(): void {
    this.#isAsleep = false;
    this.#waiting = [];
  }

  whenAwake(work: () => void): void {
    if (this.#isAsleep) this.#waiting.push(work);
    else work();
  }

  async awake(): Promise<void> {
    while (this.#isAsleep) await new Promise<void>((done) => void this.#waiting.push(done));
  }

  /** A clock that nobody sets. On Linux it stops while the device sleeps, elsewhere it doesn't. */
  monotonic(): number {
    return this.#options.clock.now() - (this.#options.stopsMonotonic ? this.#sleptMs : 0);
  }

  clock(clock: Clock): Clock {
    const wakeAt = (at: number, wake: () => void): (() => void) => {
      let isCanceled = false;
      const cancel = clock.wakeAt(at, () => this.whenAwake(() => isCanceled || wake()));
      return () => {
        isCanceled = true;
        cancel();
      };
    };
    return {
      ...clock,
      monotonic: () => this.monotonic(),
      wakeAt,
      sleep: (ms) => new Promise((done) => void wakeAt(clock.now() + ms, done)),
    };
  }

  /** What arrives meanwhile is read after waking. */
  link(link: Link): Link {
    return {
      peerId: link.peerId,
      send: (frame) => link.send(frame),
      close: (reason) => link.close(reason),
      onFrame: (listener) =>
        link.onFrame(async (frame) => {
          await this.awake();
          await listener(frame);
        }),
      onClose: (listener: (reason: LinkEnd) => void) =>
        link.onClose((reason) => this.whenAwake(() => listener(reason))),
    };
  }
}
