// Holds the lanes while this device may lack what it did before: asks its peers first, for a limited
// time, then releases them or leaves the choice to a person. `start-check.ts` decides; this carries
// out and tracks what the peers answered. The host and the simulator tell it about their sessions.
import type { Engine } from '#main/engine/engine.ts';
import { holdAsRestored } from '#main/engine/ownership/after-restore.ts';
import {
  forgetPeerKnowsMore,
  forgetWentBack,
  isPeerKnowsMore,
  markPeerKnowsMore,
  readWentBack,
} from '#main/store/queries/backup-mark.ts';
import { decideLanes, type AskReason, type StartCheck } from '#shared/start-check.ts';
import type { Cursor } from '#shared/sync/lineage.ts';
import type { SessionState } from '#shared/sync/session.ts';

export interface StartGateOptions {
  readonly engine: Engine;
  /** The paired devices. */
  readonly peers: () => readonly string[];
  readonly wasUnclean: boolean;
  /** What `status` returns has changed. */
  readonly onChange?: () => void;
}

export interface AskingPeers {
  readonly reason: AskReason;
  readonly until: number;
  /** Devices that have not answered. */
  readonly waitsFor: readonly string[];
}

interface Answer {
  hasAnswered: boolean;
  hadEverything: boolean;
}

export class StartGate {
  readonly #options: StartGateOptions;
  readonly #peers = new Map<string, Answer>();
  /** Devices that a person chose not to wait for, until the next start. */
  readonly #ignored = new Set<string>();
  #reason: AskReason | null = null;
  #since = 0;
  #heardAt = 0;
  #isSkipped = false;
  #isAsking = false;
  #isStarted = false;
  #isStopped = false;
  #cancelTimer: () => void = () => undefined;

  constructor(options: StartGateOptions) {
    this.#options = options;
  }

  /** Starts the engine, now or once the peers were asked. Call before the links start. */
  start(): void {
    this.#isStarted = true;
    const reason = this.#reasonAtStart();
    if (reason) this.#ask(reason, this.#options.peers());
    else this.#options.engine.release();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelTimer();
  }

  /** Null while workflows may run. */
  get asking(): AskingPeers | null {
    if (!this.#isAsking || !this.#reason) return null;
    const decision = decideLanes(this.#check(), this.#now);
    if (decision.type !== 'ask_peers') return null;
    const waitsFor = [...this.#peers].filter(([, { hasAnswered }]) => !hasAnswered);
    return { reason: this.#reason, until: decision.until, waitsFor: waitsFor.map(([id]) => id) };
  }

  /** The session with this peer has reached this state. */
  session(peerId: string, state: SessionState): void {
    const answer = this.#peers.get(peerId);
    if (!this.#isAsking || !answer || answer.hasAnswered) return;
    const isAnswered =
      state.name === 'live' || (state.name === 'catching-up' && state.incoming?.isCaughtUp);
    if (isAnswered) answer.hasAnswered = true;
    if (state.name === 'catching-up' || isAnswered) this.#heardAt = this.#now;
    this.#decide();
  }

  /** The peer had our changes up to `had`, which this database lacks. Its rows follow. */
  peerKnowsMore(peerId: string, had: Cursor): void {
    if (!this.#isStarted || this.#isStopped || this.#ignored.has(peerId)) return;
    const { stores, store, log } = this.#options.engine.context;
    log.warn({ peerId, had }, 'this database went back: another device knows more about it');
    if (this.#isAsking && this.#reason === 'went_back') {
      const { reached } = readWentBack(stores.settings) ?? {};
      const hadEverything =
        reached?.lineage === had.lineage && reached.version <= had.version;
      this.#peers.set(peerId, { hasAnswered: false, hadEverything });
      return;
    }
    // Remembered, so that a restart in between asks again.
    store.db.write(() => markPeerKnowsMore(stores.settings, this.#now));
    this.#ask('peer_knows_more', [peerId]);
  }

  /** A person chose not to wait. */
  continueNow(): void {
    if (!this.#isAsking) return;
    this.#isSkipped = true;
    for (const [id, { hasAnswered }] of this.#peers) if (!hasAnswered) this.#ignored.add(id);
    this.#decide();
  }

  #reasonAtStart(): AskReason | null {
    const { engine, peers, wasUnclean } = this.#options;
    const { settings } = engine.context.stores;
    if (readWentBack(settings)) return 'went_back';
    if (peers().length === 0) return null;
    if (isPeerKnowsMore(settings)) return 'peer_knows_more';
    return wasUnclean ? 'unclean_stop' : null;
  }

  #ask(reason: AskReason, peerIds: readonly string[]): void {
    const { engine } = this.#options;
    // A peer that knows more is the stronger reason; the others need not be waited for any longer.
    if (this.#reason !== reason) this.#peers.clear();
    for (const id of peerIds) this.#peers.set(id, { hasAnswered: false, hadEverything: false });
    this.#reason = reason;
    this.#since = this.#now;
    this.#heardAt = this.#since;
    this.#isSkipped = false;
    this.#isAsking = true;
    engine.hold();
    engine.context.log.info({ reason, peers: peerIds }, 'asking the other devices before running');
    this.#decide();
  }

  #decide(): void {
    this.#cancelTimer();
    if (!this.#isAsking || this.#isStopped) return;
    const { engine, onChange } = this.#options;
    const decision = decideLanes(this.#check(), this.#now);
    if (decision.type === 'ask_peers') {
      this.#cancelTimer = engine.context.store.clock.wakeAt(decision.until, () => this.#decide());
    } else {
      this.#end(decision.type);
    }
    onChange?.();
  }

  #end(decision: 'run' | 'ask_person'): void {
    const { engine } = this.#options;
    const { stores, store, log } = engine.context;
    store.db.writeDurably(() => {
      if (decision === 'ask_person') holdAsRestored(engine.context);
      else forgetWentBack(stores.settings);
      // Slots that are due in an older database may have run.
      if (this.#reason !== 'unclean_stop' && !engine.isStarted) {
        stores.producerSchedules.forgetAll();
      }
      forgetPeerKnowsMore(stores.settings);
    });
    this.#isAsking = false;
    log.info({ reason: this.#reason, decision }, 'the other devices were asked');
    this.#reason = null;
    engine.release();
  }

  #check(): StartCheck {
    return {
      reason: this.#reason,
      since: this.#since,
      heardAt: this.#heardAt,
      peers: [...this.#peers.values()],
      isSkipped: this.#isSkipped,
    };
  }

  get #now(): number {
    return this.#options.engine.context.store.clock.now();
  }
}
