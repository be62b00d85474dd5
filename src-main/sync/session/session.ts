// One sync session over one link: both sides say hello, request the changes after their cursor, and
// send. It ends with its link; the next session continues at the cursor.
import { isDiskFull } from '#main/store/sqlite/sqlite-errors.ts';
import { mergeFrame } from '#main/sync/changes/apply.ts';
import { siteOf } from '#main/sync/changes/change-reader.ts';
import { Refused } from '#main/sync/changes/refused.ts';
import type { Link, LinkEnd } from '#main/sync/link/link.ts';
import { ArtifactExchange } from '#main/sync/session/artifact-exchange.ts';
import { judgeHello, type LocalIdentity } from '#main/sync/session/greeting.ts';
import {
  decodeControl,
  encodeControl,
  FRAME,
  PROTOCOL_VERSION,
  type Hello,
  type ControlMessage,
  type ReceivedControl,
} from '#main/sync/session/control-messages.ts';
import { Sender } from '#main/sync/session/sender.ts';
import type { SyncContext } from '#main/sync/session/sync-context.ts';
import { SYNC_ANSWER_MS, SYNC_CLOSE_MS, SYNC_MAX_SKEW_MS } from '#shared/limits.ts';
import { isRejection, unreachable } from '#shared/rejection.ts';
import { linkEnd } from '#shared/sync/link-ends.ts';
import { continueFrom, type Cursor } from '#shared/sync/lineage.ts';
import {
  NEW_SESSION,
  transition,
  type SessionEvent,
  type SessionState,
} from '#shared/sync/session.ts';

export class Session {
  readonly #context: SyncContext;
  readonly #link: Link;
  readonly #onState: (state: SessionState) => void;
  readonly #onConfirmed: (version: number) => void;
  readonly #onPeerKnowsMore: (had: Cursor) => void;
  readonly #us: LocalIdentity;
  #state: SessionState = NEW_SESSION;
  #hello: Hello | null = null;
  #sender: Sender | null = null;
  readonly #artifacts: ArtifactExchange;
  #stopListening: (() => void) | undefined;
  #cancelDeadline: (() => void) | undefined;
  #receivedAt: number;

  constructor(
    context: SyncContext,
    link: Link,
    onState: (state: SessionState) => void = () => undefined,
    /** The peer has everything of ours up to this version. */
    onConfirmed: (version: number) => void = () => undefined,
    /** The peer had our changes up to this point, which this database lacks, and sends them back. */
    onPeerKnowsMore: (had: Cursor) => void = () => undefined,
  ) {
    this.#context = context;
    this.#link = link;
    this.#onState = onState;
    this.#onConfirmed = onConfirmed;
    this.#onPeerKnowsMore = onPeerKnowsMore;
    this.#receivedAt = context.clock.now();
    this.#artifacts = new ArtifactExchange(context, link, (error) => this.#fail(error));
    this.#us = {
      deviceId: context.deviceId,
      spaceId: context.spaceId,
      site: Buffer.from(siteOf(context.db)).toString('hex'),
      schemaVersion: context.schema.version,
      schemaFingerprint: context.schema.fingerprint,
    };
  }

  get state(): SessionState {
    return this.#state;
  }

  start(): void {
    this.#link.onClose((end) => this.#ended(end));
    this.#link.onFrame((frame) => this.#receive(frame));
    this.#send({
      type: 'hello',
      protocol: PROTOCOL_VERSION,
      schema: this.#us.schemaVersion,
      fingerprint: this.#us.schemaFingerprint,
      device: this.#us.deviceId,
      space: this.#us.spaceId,
      site: this.#us.site,
      lineages: this.#context.stores.lineages.announce(),
      now: this.#context.clock.now(),
    });
    this.#expectResponse();
  }

  /** Null if the peer doesn't have it, or the session has not begun or ends. */
  async fetchArtifact(runId: string, sha256: string): Promise<Uint8Array | null> {
    if (!this.#hello || this.#isOver) return null;
    const answer = this.#artifacts.request(runId, sha256);
    this.#expectResponse();
    return answer;
  }

  close(end: LinkEnd): void {
    this.#link.close(end);
    this.#ended(end);
  }

  async #receive(frame: Uint8Array): Promise<void> {
    if (this.#isOver) return;
    this.#receivedAt = this.#context.clock.now();
    try {
      if (frame[0] === FRAME.control) this.#handle(decodeControl(frame));
      else if (frame[0] === FRAME.changes) await this.#merge(frame.subarray(1));
      else if (frame[0] === FRAME.artifact) this.#artifacts.received(frame);
      else
        throw new Refused('malformed-frame', 'The other device sent a frame of an unknown kind.');
      this.#expectResponse();
    } catch (error) {
      this.#fail(error);
    }
  }

  #handle(note: ReceivedControl): void {
    if (!this.#hello || note.type === 'hello' || note.type === 'foreign-hello') {
      return this.#greet(note);
    }
    switch (note.type) {
      case 'want':
        if (note.had) this.#onPeerKnowsMore(note.had);
        return this.#beginSending(note.after);
      case 'begin':
        return this.#dispatch({ type: 'begun', direction: 'incoming', total: note.total });
      case 'caught-up':
        return this.#dispatch({ type: 'caught-up', direction: 'incoming' });
      case 'ack':
        if (!this.#sender) throw outOfOrder(note.type);
        return this.#sender.confirmed(note.version);
      case 'artifact-want':
        return this.#artifacts.wanted(note.id, note.run, note.sha256);
      case 'artifact-none':
        return this.#artifacts.isNone(note.id);
      default:
        return unreachable(note);
    }
  }

  #greet(note: ReceivedControl): void {
    if (this.#hello) throw outOfOrder(note.type);
    const greeting = judgeHello(note, this.#link.peerId, this.#us);
    if (greeting.type === 'refused') {
      this.#context.log.warn({ peerId: this.#link.peerId, ...greeting.end }, 'sync refused');
      this.#ended(greeting.end);
      return this.#closeSoon(greeting.end);
    }
    if (greeting.type === 'versions-differ') {
      this.#dispatch(greeting);
      return this.#closeSoon({ name: 'update-needed', message: greeting.message });
    }
    const { hello } = greeting;
    const skewMs = hello.now - this.#context.clock.now();
    this.#dispatch({ type: 'greeted', peer: { deviceId: hello.device, skewMs } });
    if (Math.abs(skewMs) > SYNC_MAX_SKEW_MS) {
      this.#context.log.warn({ peerId: hello.device, skewMs }, 'the clock of the peer differs');
    }
    this.#hello = hello;
    this.#send({ type: 'want', ...this.#continueWith(hello) });
  }

  /** Delayed, so that our hello reaches the peer first and it learns the reason too. */
  #closeSoon(end: LinkEnd): void {
    const { clock } = this.#context;
    clock.wakeAt(clock.now() + SYNC_CLOSE_MS, () => this.#link.close(end));
  }

  /** Our cursor, or the last version in common if the peer lost changes. */
  #continueWith(hello: Hello): { readonly after: number; readonly had: Cursor | null } {
    const { peerCursors } = this.#context.stores;
    const peerId = this.#link.peerId;
    peerCursors.dropStaged(peerId);
    const had = peerCursors.get(peerId);
    const { after, rewound } = continueFrom(had, hello.lineages);
    if (!rewound) return { after, had: null };
    this.#context.log.warn({ peerId, after }, 'peer lost changes; sending them back');
    peerCursors.rewind(peerId, { lineage: newestLineage(hello), version: after });
    return { after, had };
  }

  /**
   * The peer has versions of the current lineage that this device never wrote, as it remembers: the
   * open database went back, for example with the snapshot of a running virtual machine. In a new
   * lineage the peer notices, too, and sends back what is missing.
   */
  #wentBackWhileOpen(version: number): void {
    const { lineages } = this.#context.stores;
    const had = { lineage: lineages.newest, version };
    lineages.open();
    this.#onPeerKnowsMore(had);
    this.close(linkEnd('went-back'));
  }

  #beginSending(after: number): void {
    if (this.#sender) throw outOfOrder('want');
    if (after > this.#context.stores.lineages.version()) return this.#wentBackWhileOpen(after);
    const dispatch = (event: SessionEvent): void => this.#dispatch(event);
    const sender = new Sender(this.#context, this.#link, after, dispatch, this.#onConfirmed);
    this.#sender = sender;
    const onError = (error: unknown): void => this.#fail(error);
    this.#stopListening = this.#context.db.changes.onCommit(() => sender.push(onError));
    sender.begin(after).catch(onError);
  }

  async #merge(frame: Uint8Array): Promise<void> {
    if (!this.#hello) throw outOfOrder('changes');
    const { db, schema, stores, yieldTurn } = this.#context;
    const peer = { id: this.#link.peerId, lineage: newestLineage(this.#hello) };
    const merged = mergeFrame(
      { db, schema, cursors: stores.peerCursors, refusedRows: stores.refusedRows },
      peer,
      frame,
    );
    this.#dispatch({ type: 'moved', direction: 'incoming', changes: merged.changes });
    // Not awaited: if both sides waited here for room to send, neither would read.
    db.fsync()
      .then(() => this.#isOver || this.#send({ type: 'ack', version: merged.version }))
      .catch((error: unknown) => this.#fail(error));
    await yieldTurn();
  }

  #send(note: ControlMessage): void {
    this.#link.send(encodeControl(note)).catch((error: unknown) => this.#fail(error));
  }

  #dispatch(event: SessionEvent): void {
    const next = transition(this.#state, event);
    if (isRejection(next)) {
      if (this.#isOver) return;
      throw outOfOrder(event.type);
    }
    if (next === this.#state) return;
    this.#state = next;
    this.#onState(next);
  }

  /** Ends the session when a response is overdue. */
  #expectResponse(): void {
    this.#cancelDeadline?.();
    this.#cancelDeadline = undefined;
    if (this.#isOver) return;
    const { clock } = this.#context;
    const since = this.#overdueSince ?? clock.now();
    this.#cancelDeadline = clock.wakeAt(since + SYNC_ANSWER_MS, () => {
      const overdueSince = this.#overdueSince;
      if (overdueSince === null || overdueSince + SYNC_ANSWER_MS > clock.now()) {
        return this.#expectResponse();
      }
      this.close({
        name: 'no-answer',
        message: `The other device did not respond for ${SYNC_ANSWER_MS / 1000} seconds. Changes synced before are saved; the rest is synced on the next connection.`,
      });
    });
  }

  /** Since when a response is due; null when none is. */
  get #overdueSince(): number | null {
    const state = this.#state;
    const isReceiving = state.name === 'catching-up' && !state.incoming?.isCaughtUp;
    if (state.name === 'greeting' || isReceiving || !this.#sender) return this.#receivedAt;
    // Large frames may be on the way before the answer, so each one counts as a sign of life.
    const asked = this.#artifacts.waitingSince;
    const artifact = asked === null ? null : Math.max(asked, this.#receivedAt);
    const { waitingSince } = this.#sender;
    if (artifact === null || waitingSince === null) return artifact ?? waitingSince;
    return Math.min(artifact, waitingSince);
  }

  get #isOver(): boolean {
    return this.#state.name === 'ended' || this.#state.name === 'update-needed';
  }

  #fail(error: unknown): void {
    if (this.#isOver) return;
    const end = endOf(error);
    this.#context.log.warn({ peerId: this.#link.peerId, ...end, error }, 'sync ended');
    this.close(end);
  }

  #ended(end: LinkEnd): void {
    this.#sender?.stop();
    this.#artifacts.stop();
    this.#stopListening?.();
    this.#cancelDeadline?.();
    this.#dispatch({ type: 'ended', end: { name: end.name, message: end.message } });
  }
}

function newestLineage(hello: Hello): string {
  return (hello.lineages[0] as Hello['lineages'][number]).id;
}

function outOfOrder(what: string): Refused {
  return new Refused('malformed-frame', `The other device sent "${what}" out of order.`);
}

function endOf(error: unknown): LinkEnd {
  if (error instanceof Refused) return { name: error.name, message: error.message };
  if (isDiskFull(error)) {
    return {
      name: 'disk-full',
      message:
        'The disk of this device is full. Changes merged before are saved. Free some space; syncing continues on the next connection.',
    };
  }
  const why = error instanceof Error ? error.message : String(error);
  return {
    name: 'failed',
    message: `Syncing stopped: ${why}. Changes merged before are saved; syncing continues on the next connection.`,
  };
}
