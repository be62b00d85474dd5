// Each refusal is logged once with its name, not each time it happens: a stranger that knocks all
// night fills no disk.
import type { Logger } from 'pino';
import type { LinkEnd } from '#main/sync/link/link.ts';

/** More strangers than this are not told apart any more. */
const MAX_REMEMBERED = 256;

export class RefusalLog {
  readonly #log: Logger;
  readonly #known = new Set<string>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** `who`: a device id, or the address of somebody who has shown no key. */
  note({ name, message }: LinkEnd, who: string): void {
    const entry = `${name} ${this.#known.size < MAX_REMEMBERED ? who : 'others'}`;
    if (this.#known.has(entry)) return;
    this.#known.add(entry);
    this.#log.warn({ refusal: name, who }, message);
  }

  /** It was let in: should it be refused again, that is news. */
  forget(who: string): void {
    for (const entry of this.#known) if (entry.endsWith(` ${who}`)) this.#known.delete(entry);
  }
}
