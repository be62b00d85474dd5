// A way to one paired device: frames arrive whole and in order, or the link ends.
export interface Link {
  /** The device at the other end, proven by its key. */
  readonly peerId: string;
  /** Whole frames only. Resolves when there is room for the next one; rejects when the link has ended. */
  send(frame: Uint8Array): Promise<void>;
  /** Called once, before any frame is delivered. The link reads on when the returned promise settles. */
  onFrame(listener: (frame: Uint8Array) => Promise<void> | void): void;
  onClose(listener: (reason: LinkEnd) => void): void;
  close(reason: LinkEnd): void;
}

/** Why a link ended: a name for machines and the log, a sentence for people. */
export interface LinkEnd {
  readonly name: string;
  readonly message: string;
}
