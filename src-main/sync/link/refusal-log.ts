// Logs each kind of refusal once per caller, so that repeated attempts don't fill the log.
import type { Logger } from 'pino';
import type { LinkEnd } from '#main/sync/link/link.ts';

/** Further callers share one entry. */
const MAX_REMEMBERED = 256;

export class RefusalLog {
  readonly #log: Logger;
  readonly #known = new Set<string>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** `who` is a device id, or an address when no key was shown. */
  log({ name, message }: LinkEnd, who: string): void {
    const entry = `${name} ${this.#known.size < MAX_REMEMBERED ? who : 'others'}`;
    if (this.#known.has(entry)) return;
    this.#known.add(entry);
    this.#log.warn({ refusal: name, who }, message);
  }

  /** Call when the device was accepted, so that a later refusal is logged again. */
  forget(who: string): void {
    for (const entry of this.#known) if (entry.endsWith(` ${who}`)) this.#known.delete(entry);
  }
}
