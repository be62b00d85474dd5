// Sends our changes to one peer: first those it lacks, then new commits. Only changes that are on disk
// here are sent: a power cut must not take back what a peer has. The number of unconfirmed frames is
// limited by the window.
import type { SyncContext } from '#main/sync/session/sync-context.ts';
import { encodeChanges, encodeControl } from '#main/sync/session/control-messages.ts';
import type { ChangeSet } from '#main/sync/changes/change.ts';
import { encodeChangeSet } from '#main/sync/changes/encode.ts';
import { ChangeReader, countChanges } from '#main/sync/changes/change-reader.ts';
import { Refused } from '#main/sync/changes/refused.ts';
import type { Link } from '#main/sync/link/link.ts';
import { SYNC_EMPTY_ADVANCE, SYNC_PUSH_WINDOW_MS, SYNC_WINDOW_FRAMES } from '#shared/limits.ts';
import type { SessionEvent } from '#shared/sync/session.ts';

/** How many acks between deletions of merged ranges that the peer has confirmed. */
const ACKS_PER_CLEANUP = 64;

export class Sender {
  readonly #context: SyncContext;
  readonly #link: Link;
  readonly #dispatch: (event: SessionEvent) => void;
  readonly #onConfirmed: (version: number) => void;
  readonly #reader: ChangeReader;
  /** The newest version that is known to be on disk. */
  #onDisk: number;
  #unconfirmed = 0;
  #waitingSince = 0;
  #confirmations = 0;
  #hasCaughtUp = false;
  #isSending = false;
  #isStopped = false;
  #onRoom: (() => void) | undefined;
  #cancelPush: (() => void) | undefined;

  /** The peer has everything of ours up to `after`. */
  constructor(
    context: SyncContext,
    link: Link,
    after: number,
    dispatch: (event: SessionEvent) => void,
    /** The peer has everything of ours up to this version. */
    onConfirmed: (version: number) => void,
  ) {
    this.#context = context;
    this.#link = link;
    this.#dispatch = dispatch;
    this.#onConfirmed = onConfirmed;
    const { lineages, peerCursors } = context.stores;
    if (after > lineages.version()) {
      throw new Refused(
        'gap',
        'The other device requested changes after a version that this device never had.',
      );
    }
    peerCursors.forgetMergedUpTo(link.peerId, after);
    onConfirmed(after);
    this.#onDisk = after;
    this.#reader = new ChangeReader({
      db: context.db,
      after,
      newest: () => this.#onDisk,
      skip: (version) => peerCursors.mergedFrom(link.peerId, version),
    });
  }

  /** Since when a confirmation is due; null when none is. */
  get waitingSince(): number | null {
    return this.#unconfirmed > 0 ? this.#waitingSince : null;
  }

  /** Resolves when everything was sent. Rejects when the link ends. */
  async begin(after: number): Promise<void> {
    let total = 0;
    for (const count of countChanges(this.#context.db, after)) {
      total += count;
      await this.#context.yieldTurn();
      if (this.#isStopped) return;
    }
    this.#dispatch({ type: 'begun', direction: 'outgoing', total });
    await this.#link.send(encodeControl({ type: 'begin', total }));
    await this.#sendAll();
  }

  /** Call after a commit. Commits within a short window are sent together. */
  push(onError: (error: unknown) => void): void {
    if (this.#isStopped || this.#isSending || !this.#hasCaughtUp || this.#cancelPush) return;
    const { clock } = this.#context;
    this.#cancelPush = clock.wakeAt(clock.now() + SYNC_PUSH_WINDOW_MS, () => {
      this.#cancelPush = undefined;
      if (!this.#isSending) this.#sendAll().catch(onError);
    });
  }

  /** The peer confirmed one frame and has everything up to `version`. */
  confirmed(version: number): void {
    if (this.#unconfirmed === 0) {
      throw new Refused(
        'malformed-frame',
        'The other device confirmed a frame that was never sent.',
      );
    }
    this.#unconfirmed -= 1;
    this.#onConfirmed(version);
    this.#waitingSince = this.#context.clock.now();
    this.#confirmations += 1;
    if (this.#confirmations % ACKS_PER_CLEANUP === 0) {
      this.#context.stores.peerCursors.forgetMergedUpTo(this.#link.peerId, version);
    }
    this.#onRoom?.();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelPush?.();
    this.#onRoom?.();
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    try {
      while (!this.#isStopped && (this.#reader.hasMore || (await this.#fsyncNew()))) {
        await this.#waitForRoom();
        if (this.#isStopped) return;
        const set = this.#reader.next();
        if (set) await this.#send(set);
        else if (this.#reader.skipped >= SYNC_EMPTY_ADVANCE) {
          await this.#send(this.#reader.emptyAdvance());
        }
        await this.#context.yieldTurn();
      }
      if (this.#isStopped || this.#hasCaughtUp) return;
      if (this.#reader.skipped > 0) await this.#send(this.#reader.emptyAdvance());
      this.#hasCaughtUp = true;
      this.#dispatch({ type: 'caught-up', direction: 'outgoing' });
      await this.#link.send(encodeControl({ type: 'caught-up' }));
    } finally {
      this.#isSending = false;
    }
    // A commit during the last send could not push, because this was still sending.
    if (!this.#isStopped && this.#newest > this.#onDisk) await this.#sendAll();
  }

  get #newest(): number {
    return this.#context.stores.lineages.version();
  }

  /** Fsyncs commits that were not sent yet. False when there are none. */
  async #fsyncNew(): Promise<boolean> {
    const version = this.#newest;
    if (version <= this.#onDisk) return false;
    await this.#context.db.fsync();
    this.#onDisk = version;
    return !this.#isStopped;
  }

  async #send(set: ChangeSet): Promise<void> {
    if (this.#unconfirmed === 0) this.#waitingSince = this.#context.clock.now();
    this.#unconfirmed += 1;
    const frame = encodeChanges(encodeChangeSet(set));
    await this.#link.send(frame);
    if (set.changes.length > 0) {
      this.#dispatch({ type: 'moved', direction: 'outgoing', changes: set.changes.length });
    }
  }

  async #waitForRoom(): Promise<void> {
    while (!this.#isStopped && this.#unconfirmed >= SYNC_WINDOW_FRAMES) {
      await new Promise<void>((resolve) => {
        this.#onRoom = resolve;
      });
    }
    this.#onRoom = undefined;
  }
}
