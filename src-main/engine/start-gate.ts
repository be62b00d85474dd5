// Holds the lanes while this device may lack its own latest work: asks its peers first, for a limited
// time, then releases them or leaves the choice to a person. `start-check.ts` decides; this carries
// out and tracks what the peers answered. The host and the simulator report their sessions to it.
import type { Engine } from '#main/engine/engine.ts';
import { holdAsRestored } from '#main/engine/ownership/after-restore.ts';
import {
  forgetPeerKnowsMore,
  forgetWentBack,
  isPeerKnowsMore,
  markPeerKnowsMore,
  readWentBack,
} from '#main/store/queries/backup-mark.ts';
import {
  decideLanes,
  type AskedPeer,
  type AskReason,
  type StartCheck,
} from '#shared/start-check.ts';
import type { Cursor } from '#shared/sync/lineage.ts';
import type { SessionState } from '#shared/sync/session.ts';

export interface StartGateOptions {
  readonly engine: Engine;
  /** The paired devices. */
  readonly peers: () => readonly string[];
  readonly wasUnclean: boolean;
  /** Called once, when the engine has started. */
  readonly onStarted?: () => void;
  /** Called when the result of `asking` has changed. */
  readonly onChange?: () => void;
}

export interface AskingPeers {
  readonly reason: AskReason;
  readonly until: number;
  /** Devices that have not answered. */
  readonly waitsFor: readonly string[];
}

export class StartGate {
  readonly #options: StartGateOptions;
  readonly #peers = new Map<string, AskedPeer>();
  /** Devices that know more and that a person chose not to wait for, until the next start. */
  readonly #ignored = new Set<string>();
  #reason: AskReason | null = null;
  #isSkipped = false;
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
    else this.#release();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelTimer();
  }

  /** Null while workflows may run. */
  get asking(): AskingPeers | null {
    const decision = decideLanes(this.#check, this.#now);
    if (decision.type !== 'ask_peers' || !this.#reason) return null;
    const waiting = [...this.#peers].filter(([, { hasAnswered }]) => !hasAnswered);
    const isMore = waiting.some(([, { knowsMore }]) => knowsMore);
    return {
      reason: isMore && this.#reason === 'unclean_stop' ? 'peer_knows_more' : this.#reason,
      until: decision.until,
      waitsFor: waiting.map(([id]) => id),
    };
  }

  /** The session with this peer has reached this state. */
  session(peerId: string, state: SessionState): void {
    const asked = this.#peers.get(peerId);
    if (!this.#reason || !asked || asked.hasAnswered) return;
    const hasAnswered =
      state.name === 'live' ||
      (state.name === 'catching-up' && state.incoming?.isCaughtUp === true);
    if (!hasAnswered && state.name !== 'catching-up') return;
    this.#peers.set(peerId, { ...asked, hasAnswered, heardAt: this.#now });
    this.#decide();
  }

  /** The peer had our changes up to `had`, which this database lacks. Its rows follow. */
  peerKnowsMore(peerId: string, had: Cursor): void {
    if (!this.#isStarted || this.#isStopped || this.#ignored.has(peerId)) return;
    const { stores, store, log } = this.#options.engine.context;
    log.warn({ peerId, had }, 'this database went back: another device knows more about it');
    // Remembered, so that a restart in between asks again.
    store.db.write(() => markPeerKnowsMore(stores.settings, this.#now));
    const reached = readWentBack(stores.settings)?.reached;
    const hadEverything = reached?.lineage === had.lineage && reached.version <= had.version;
    this.#ask(this.#reason ?? 'peer_knows_more', [peerId], { knowsMore: true, hadEverything });
  }

  /** A person chose not to wait. */
  continueNow(): void {
    if (!this.#reason) return;
    this.#isSkipped = true;
    for (const [id, { hasAnswered, knowsMore }] of this.#peers) {
      if (knowsMore && !hasAnswered) this.#ignored.add(id);
    }
    this.#decide();
  }

  #reasonAtStart(): AskReason | null {
    const { engine, wasUnclean } = this.#options;
    const { settings } = engine.context.stores;
    if (readWentBack(settings)) return 'went_back';
    if (isPeerKnowsMore(settings)) return 'peer_knows_more';
    return wasUnclean ? 'unclean_stop' : null;
  }

  #ask(
    reason: AskReason,
    peerIds: readonly string[],
    answer: Pick<AskedPeer, 'knowsMore' | 'hadEverything'> = {
      knowsMore: false,
      hadEverything: false,
    },
  ): void {
    const { engine } = this.#options;
    const since = this.#now;
    for (const id of peerIds) {
      this.#peers.set(id, { since, heardAt: since, hasAnswered: false, ...answer });
    }
    this.#reason = reason;
    this.#isSkipped = false;
    engine.hold();
    engine.context.log.info({ reason, peers: peerIds }, 'asking the other devices before running');
    this.#decide();
  }

  #decide(): void {
    this.#cancelTimer();
    if (!this.#reason || this.#isStopped) return;
    const { engine, onChange } = this.#options;
    const decision = decideLanes(this.#check, this.#now);
    if (decision.type === 'ask_peers') {
      this.#cancelTimer = engine.context.store.clock.wakeAt(decision.until, () => this.#decide());
    } else this.#end(this.#reason, decision.type);
    onChange?.();
  }

  #end(reason: AskReason, decision: 'run' | 'ask_person'): void {
    const { engine } = this.#options;
    const { stores, store, log } = engine.context;
    store.db.writeDurably(() => {
      if (decision === 'ask_person') holdAsRestored(engine.context);
      else forgetWentBack(stores.settings);
      // Slots that are due in an older database may have run.
      const wentBack = [...this.#peers.values()].some(({ knowsMore }) => knowsMore);
      if (!engine.isStarted && (wentBack || reason === 'went_back')) {
        stores.producerSchedules.forgetAll();
      }
      forgetPeerKnowsMore(stores.settings);
    });
    log.info({ reason, decision }, 'the other devices were asked');
    this.#reason = null;
    this.#peers.clear();
    this.#release();
  }

  #release(): void {
    const { engine, onStarted } = this.#options;
    const isStart = !engine.isStarted;
    engine.release();
    if (isStart) onStarted?.();
  }

  get #check(): StartCheck {
    return { reason: this.#reason, peers: [...this.#peers.values()], isSkipped: this.#isSkipped };
  }

  get #now(): number {
    return this.#options.engine.context.store.clock.now();
  }
}
