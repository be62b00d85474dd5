// Notices that the network comes, goes or changes, and that the machine was asleep. It looks only while
// a host can't be reached, so it costs nothing when all is well.
import type { NetworkSource } from '#main/platform/network.ts';
import type { OutsideHosts } from '#main/tools/outside-hosts/outside-hosts.ts';
import type { Clock } from '#shared/clock.ts';

const LOOK_EVERY_MS = 5000;

/** A tick that is this late means that the computer slept. */
const ASLEEP_MS = 30_000;

export interface NetworkWatchOptions {
  readonly hosts: OutsideHosts;
  readonly clock: Clock;
  readonly source: NetworkSource;
}

export class NetworkWatch {
  readonly #options: NetworkWatchOptions;
  #cancel: (() => void) | null = null;
  #endChanges: () => void = () => undefined;
  #isStopped = true;

  constructor(options: NetworkWatchOptions) {
    this.#options = options;
    options.hosts.onDown(() => this.#begin());
  }

  start(): void {
    const { hosts, source } = this.#options;
    this.#isStopped = false;
    hosts.see(source.look());
    this.#endChanges = source.onChange?.(() => hosts.see(source.look())) ?? this.#endChanges;
    if (hosts.isAnyDown) this.#begin();
  }

  stop(): void {
    this.#isStopped = true;
    this.#endChanges();
    this.#end();
  }

  #begin(): void {
    const { hosts, source } = this.#options;
    if (this.#isStopped || this.#cancel) return;
    hosts.see(source.look());
    if (!source.onChange) this.#lookLater();
  }

  #lookLater(): void {
    const { hosts, clock, source } = this.#options;
    const at = clock.now() + LOOK_EVERY_MS;
    this.#cancel = clock.wakeAt(at, () => {
      this.#cancel = null;
      if (clock.now() > at + ASLEEP_MS) hosts.retryNow();
      hosts.see(source.look());
      if (!this.#isStopped && hosts.isAnyDown) this.#lookLater();
    });
  }

  #end(): void {
    this.#cancel?.();
    this.#cancel = null;
  }
}
