// A connection to one paired device: frames arrive complete and in order, or the link ends.
export interface Link {
  /** The peer's device id, proven by its key. */
  readonly peerId: string;
  /** Sends one complete frame. Resolves when the next can be sent; rejects after the link ended. */
  send(frame: Uint8Array): Promise<void>;
  /** Set once. The next frame is delivered when the returned promise settles. */
  onFrame(listener: (frame: Uint8Array) => Promise<void> | void): void;
  onClose(listener: (reason: LinkEnd) => void): void;
  close(reason: LinkEnd): void;
}

/** Why a link ended: a name for programs and the log, a message for people. */
export interface LinkEnd {
  readonly name: string;
  readonly message: string;
}
