// Sends our changes to one peer: first what it lacks, then what is written meanwhile and later,
// frame by frame, never more on the way than the window allows.
import type { SyncContext } from '#main/sync/session/sync-context.ts';
import { encodeChanges, encodeNote } from '#main/sync/session/control-messages.ts';
import type { ChangeSet } from '#main/sync/changes/change.ts';
import { encodeChangeSet } from '#main/sync/changes/encode.ts';
import { ChangeReader, countChanges } from '#main/sync/changes/change-reader.ts';
import { Refused } from '#main/sync/changes/refused.ts';
import type { Link } from '#main/sync/link/link.ts';
import { SYNC_EMPTY_ADVANCE, SYNC_PUSH_WINDOW_MS, SYNC_WINDOW_FRAMES } from '#shared/limits.ts';
import type { SessionEvent } from '#shared/sync/session.ts';

/** What was merged from the peer is forgotten in steps, once it has confirmed later versions. */
const ACKS_BETWEEN_TIDYING = 64;

export class Sender {
  readonly #context: SyncContext;
  readonly #link: Link;
  readonly #tell: (event: SessionEvent) => void;
  readonly #onConfirmed: (version: number) => void;
  readonly #reader: ChangeReader;
  #unconfirmed = 0;
  #waitingSince = 0;
  #confirmations = 0;
  #hasCaughtUp = false;
  #isSending = false;
  #isStopped = false;
  #whenRoom: (() => void) | undefined;
  #callOffPush: (() => void) | undefined;

  /** `after`: the peer has everything of ours up to it. */
  constructor(
    context: SyncContext,
    link: Link,
    after: number,
    tell: (event: SessionEvent) => void,
    /** The peer has everything of ours up to this version. */
    onConfirmed: (version: number) => void,
  ) {
    this.#context = context;
    this.#link = link;
    this.#tell = tell;
    this.#onConfirmed = onConfirmed;
    const { lineages, peerCursors } = context.stores;
    if (after > lineages.version()) {
      throw new Refused('gap', 'The other device asks for changes that this one never had.');
    }
    peerCursors.forgetMergedUpTo(link.peerId, after);
    onConfirmed(after);
    this.#reader = new ChangeReader({
      db: context.db,
      after,
      newest: () => lineages.version(),
      skip: (version) => peerCursors.mergedFrom(link.peerId, version),
    });
  }

  /** Since when the peer owes us a confirmation; null where it owes none. */
  get waitingSince(): number | null {
    return this.#unconfirmed > 0 ? this.#waitingSince : null;
  }

  /** Resolves when the peer has got all that there was. Rejects when the link ends. */
  async begin(after: number): Promise<void> {
    let total = 0;
    for (const count of countChanges(this.#context.db, after)) {
      total += count;
      await this.#context.breathe();
      if (this.#isStopped) return;
    }
    this.#tell({ type: 'begun', direction: 'outgoing', total });
    await this.#link.send(encodeNote({ type: 'begin', total }));
    await this.#sendAll();
  }

  /** Something was committed. What comes within a moment of it goes along. */
  push(onError: (error: unknown) => void): void {
    if (this.#isStopped || this.#isSending || !this.#hasCaughtUp || this.#callOffPush) return;
    const { clock } = this.#context;
    this.#callOffPush = clock.wakeAt(clock.now() + SYNC_PUSH_WINDOW_MS, () => {
      this.#callOffPush = undefined;
      if (!this.#isSending) this.#sendAll().catch(onError);
    });
  }

  /** The peer has taken one frame, and has everything up to `version`. */
  confirmed(version: number): void {
    if (this.#unconfirmed === 0) {
      throw new Refused('malformed-frame', 'The other device confirmed what was never sent.');
    }
    this.#unconfirmed -= 1;
    this.#onConfirmed(version);
    this.#waitingSince = this.#context.clock.now();
    this.#confirmations += 1;
    if (this.#confirmations % ACKS_BETWEEN_TIDYING === 0) {
      this.#context.stores.peerCursors.forgetMergedUpTo(this.#link.peerId, version);
    }
    this.#whenRoom?.();
  }

  stop(): void {
    this.#isStopped = true;
    this.#callOffPush?.();
    this.#whenRoom?.();
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    try {
      while (!this.#isStopped && this.#reader.hasMore) {
        await this.#room();
        if (this.#isStopped) return;
        const set = this.#reader.next();
        if (set) await this.#send(set);
        else if (this.#reader.skipped >= SYNC_EMPTY_ADVANCE) {
          await this.#send(this.#reader.emptyAdvance());
        }
        await this.#context.breathe();
      }
      if (this.#isStopped || this.#hasCaughtUp) return;
      if (this.#reader.skipped > 0) await this.#send(this.#reader.emptyAdvance());
      this.#hasCaughtUp = true;
      this.#tell({ type: 'caught-up', direction: 'outgoing' });
      await this.#link.send(encodeNote({ type: 'caught-up' }));
    } finally {
      this.#isSending = false;
    }
    // What was committed while the last word was on its way has called `push` in vain.
    if (!this.#isStopped && this.#reader.hasMore) await this.#sendAll();
  }

  async #send(set: ChangeSet): Promise<void> {
    if (this.#unconfirmed === 0) this.#waitingSince = this.#context.clock.now();
    this.#unconfirmed += 1;
    const frame = encodeChanges(encodeChangeSet(set));
    await this.#link.send(frame);
    if (set.changes.length > 0) {
      this.#tell({ type: 'moved', direction: 'outgoing', changes: set.changes.length });
    }
  }

  async #room(): Promise<void> {
    while (!this.#isStopped && this.#unconfirmed >= SYNC_WINDOW_FRAMES) {
      await new Promise<void>((resolve) => {
        this.#whenRoom = resolve;
      });
    }
    this.#whenRoom = undefined;
  }
}
