// One session with one peer over one link: hello, then each asks the other for what comes after
// what it has, then both send. It knows no sockets and no timers but the injected ones, and ends
// with the link; whoever made it makes a new one, which goes on where this one was.
import { isDiskFull } from '#main/store/sqlite/sqlite-errors.ts';
import { mergeFrame } from '#main/sync/changes/apply.ts';
import { siteOf } from '#main/sync/changes/change-reader.ts';
import { Refused } from '#main/sync/changes/refused.ts';
import type { Link, LinkEnd } from '#main/sync/link/link.ts';
import { judgeHello, type Ourselves } from '#main/sync/session/greeting.ts';
import {
  decodeNote,
  encodeNote,
  FRAME,
  PROTOCOL_VERSION,
  type Hello,
  type Note,
  type ReadNote,
} from '#main/sync/session/control-messages.ts';
import { Sender } from '#main/sync/session/sender.ts';
import type { SyncContext } from '#main/sync/session/sync-context.ts';
import { SYNC_ANSWER_MS, SYNC_FAREWELL_MS, SYNC_MAX_SKEW_MS } from '#shared/limits.ts';
import { isRejection, unreachable } from '#shared/rejection.ts';
import { continueFrom } from '#shared/sync/lineage.ts';
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
  readonly #us: Ourselves;
  #state: SessionState = NEW_SESSION;
  #hello: Hello | null = null;
  #sender: Sender | null = null;
  #stopListening: (() => void) | undefined;
  #callOffDeadline: (() => void) | undefined;
  #heardAt: number;

  constructor(
    context: SyncContext,
    link: Link,
    onState: (state: SessionState) => void = () => undefined,
    /** The other device has everything of ours up to this version. */
    onConfirmed: (version: number) => void = () => undefined,
  ) {
    this.#context = context;
    this.#link = link;
    this.#onState = onState;
    this.#onConfirmed = onConfirmed;
    this.#heardAt = context.clock.now();
    this.#us = {
      deviceId: context.deviceId,
      spaceId: context.spaceId,
      site: Buffer.from(siteOf(context.db)).toString('hex'),
      schemaVersion: context.schema.version,
    };
  }

  get state(): SessionState {
    return this.#state;
  }

  start(): void {
    this.#link.onClose((end) => this.#ended(end));
    this.#link.onFrame((frame) => this.#receive(frame));
    this.#say({
      type: 'hello',
      protocol: PROTOCOL_VERSION,
      schema: this.#us.schemaVersion,
      device: this.#us.deviceId,
      space: this.#us.spaceId,
      site: this.#us.site,
      lineages: this.#context.stores.lineages.announce(),
      now: this.#context.clock.now(),
    });
    this.#expectAnswer();
  }

  close(end: LinkEnd): void {
    this.#link.close(end);
    this.#ended(end);
  }

  async #receive(frame: Uint8Array): Promise<void> {
    if (this.#isOver) return;
    this.#heardAt = this.#context.clock.now();
    try {
      if (frame[0] === FRAME.note) this.#take(decodeNote(frame));
      else if (frame[0] === FRAME.changes) await this.#merge(frame.subarray(1));
      else throw new Refused('malformed-frame', 'The other device sent a frame of no known kind.');
      this.#expectAnswer();
    } catch (error) {
      this.#fail(error);
    }
  }

  #take(note: ReadNote): void {
    if (!this.#hello || note.type === 'hello' || note.type === 'foreign-hello') {
      return this.#greet(note);
    }
    switch (note.type) {
      case 'want':
        return this.#beginSending(note.after);
      case 'begin':
        return this.#tell({ type: 'begun', direction: 'incoming', total: note.total });
      case 'caught-up':
        return this.#tell({ type: 'caught-up', direction: 'incoming' });
      case 'ack':
        if (!this.#sender) throw outOfTurn(note.type);
        return this.#sender.confirmed(note.version);
      default:
        return unreachable(note);
    }
  }

  #greet(note: ReadNote): void {
    if (this.#hello) throw outOfTurn(note.type);
    const greeting = judgeHello(note, this.#link.peerId, this.#us);
    if (greeting.type === 'unwelcome') {
      this.#context.log.warn({ peerId: this.#link.peerId, ...greeting.end }, 'sync refused');
      this.#ended(greeting.end);
      return this.#closeSoon(greeting.end);
    }
    if (greeting.type === 'versions-differ') {
      this.#tell(greeting);
      return this.#closeSoon({ name: 'update-needed', message: greeting.message });
    }
    const { hello } = greeting;
    const skewMs = hello.now - this.#context.clock.now();
    this.#tell({ type: 'greeted', peer: { deviceId: hello.device, skewMs } });
    if (Math.abs(skewMs) > SYNC_MAX_SKEW_MS) {
      this.#context.log.warn({ peerId: hello.device, skewMs }, 'the clock of the peer is off');
    }
    this.#hello = hello;
    this.#say({ type: 'want', after: this.#continueWith(hello) });
  }

  /** Closed at once, the link could take our own hello with it, and the other would never know why. */
  #closeSoon(end: LinkEnd): void {
    const { clock } = this.#context;
    clock.wakeAt(clock.now() + SYNC_FAREWELL_MS, () => this.#link.close(end));
  }

  /** Where our cursor still means what it meant, or where the peer and we still agree. */
  #continueWith(hello: Hello): number {
    const { peerCursors } = this.#context.stores;
    const peerId = this.#link.peerId;
    peerCursors.dropStaged(peerId);
    const { after, rewound } = continueFrom(peerCursors.get(peerId), hello.lineages);
    if (rewound) {
      this.#context.log.warn({ peerId, after }, 'the peer has lost changes and gets them back');
      peerCursors.rewind(peerId, { lineage: newestLineage(hello), version: after });
    }
    return after;
  }

  #beginSending(after: number): void {
    if (this.#sender) throw outOfTurn('want');
    const tell = (event: SessionEvent): void => this.#tell(event);
    const sender = new Sender(this.#context, this.#link, after, tell, this.#onConfirmed);
    this.#sender = sender;
    const onError = (error: unknown): void => this.#fail(error);
    this.#stopListening = this.#context.db.changes.onCommit(() => sender.push(onError));
    sender.begin(after).catch(onError);
  }

  async #merge(frame: Uint8Array): Promise<void> {
    if (!this.#hello) throw outOfTurn('changes');
    const { db, schema, stores, breathe } = this.#context;
    const peer = { id: this.#link.peerId, lineage: newestLineage(this.#hello) };
    const merged = mergeFrame({ db, schema, cursors: stores.peerCursors }, peer, frame);
    this.#tell({ type: 'moved', direction: 'incoming', changes: merged.changes });
    // Not waited for: were both sides to wait here for room to answer, neither would ever read.
    this.#say({ type: 'ack', version: merged.version });
    await breathe();
  }

  #say(note: Note): void {
    this.#link.send(encodeNote(note)).catch((error: unknown) => this.#fail(error));
  }

  #tell(event: SessionEvent): void {
    const next = transition(this.#state, event);
    if (isRejection(next)) {
      if (this.#isOver) return;
      throw outOfTurn(event.type);
    }
    if (next === this.#state) return;
    this.#state = next;
    this.#onState(next);
  }

  /** A device that owes us something and is silent for long is gone. */
  #expectAnswer(): void {
    this.#callOffDeadline?.();
    this.#callOffDeadline = undefined;
    if (this.#isOver) return;
    const { clock } = this.#context;
    const since = this.#owedSince ?? clock.now();
    this.#callOffDeadline = clock.wakeAt(since + SYNC_ANSWER_MS, () => {
      const owedSince = this.#owedSince;
      if (owedSince === null || owedSince + SYNC_ANSWER_MS > clock.now()) {
        return this.#expectAnswer();
      }
      this.close({
        name: 'no-answer',
        message: `The other device did not answer for ${SYNC_ANSWER_MS / 1000} seconds. What was exchanged before is kept; the rest follows with the next connection.`,
      });
    });
  }

  /** Null: it owes us nothing. */
  get #owedSince(): number | null {
    const state = this.#state;
    const isReceiving = state.name === 'catching-up' && !state.incoming?.isCaughtUp;
    if (state.name === 'greeting' || isReceiving || !this.#sender) return this.#heardAt;
    return this.#sender.waitingSince;
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
    this.#stopListening?.();
    this.#callOffDeadline?.();
    this.#tell({ type: 'ended', end: { name: end.name, message: end.message } });
  }
}

function newestLineage(hello: Hello): string {
  return (hello.lineages[0] as Hello['lineages'][number]).id;
}

function outOfTurn(what: string): Refused {
  return new Refused('malformed-frame', `The other device sent "${what}" out of turn.`);
}

function endOf(error: unknown): LinkEnd {
  if (error instanceof Refused) return { name: error.name, message: error.message };
  if (isDiskFull(error)) {
    return {
      name: 'disk-full',
      message:
        'There is no room left on this device. What was merged before is kept. Free some space; syncing goes on with the next connection.',
    };
  }
  const why = error instanceof Error ? error.message : String(error);
  return {
    name: 'failed',
    message: `Syncing stopped: ${why}. What was merged before is kept; it goes on with the next connection.`,
  };
}
