// A frame of a peer was refused: a name for programs and the log, a message for people.
import type { LinkEnd } from '#main/sync/link/link.ts';

export type RefusalName =
  | 'malformed-frame'
  | 'frame-too-large'
  | 'unknown-table'
  | 'unknown-column'
  | 'bad-key'
  | 'bad-value'
  | 'bad-clock'
  | 'bad-site'
  | 'kept-row-deleted'
  | 'gap'
  | 'cannot-merge';

export class Refused extends Error implements LinkEnd {
  override readonly name: RefusalName;

  constructor(name: RefusalName, what: string, options?: ErrorOptions) {
    super(
      `${what} Nothing of it was saved, and the connection was closed. Update Holdfast on both devices. If it happens again, unpair the other device.`,
      options,
    );
    this.name = name;
  }
}
