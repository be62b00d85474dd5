// The sync sessions of this host, one per link. Tracks the sync status of each device for the window
// and reports changes of it.
import { Session } from '#main/sync/session/session.ts';
import type { SyncContext } from '#main/sync/session/sync-context.ts';
import type { Link } from '#main/sync/link/link.ts';
import type { SettingsStore } from '#main/store/tables/settings.ts';
import { SYNC_NOTIFY_EVERY_MS } from '#shared/limits.ts';
import { linkEnd } from '#shared/sync/link-ends.ts';
import type { Cursor } from '#shared/sync/lineage.ts';
import { NEW_SESSION, type SessionState } from '#shared/sync/session.ts';

const SYNCED_AT_SETTING = 'synced_at';
const CONFIRMED_SETTING = 'confirmed_versions';

export interface DeviceSyncOptions {
  /** Called for each link, because joining a space changes it. */
  readonly context: () => SyncContext;
  readonly settings: SettingsStore;
  /** The status of this device changed. */
  readonly onChange: (deviceId: string) => void;
  /** Both devices have all changes of each other. */
  readonly onLive?: (deviceId: string) => void;
  /** The session with this device reached this state. */
  readonly onState?: (deviceId: string, state: SessionState) => void;
  /** The device had our changes up to `had`, which this database lacks. */
  readonly onPeerKnowsMore?: (deviceId: string, had: Cursor) => void;
}

export interface SyncStatus {
  /** Null when there was no session since the host started. */
  readonly state: SessionState | null;
  /** When both devices last had all changes of each other. */
  readonly syncedAt: number | null;
  /** The peer has all our changes at least up to this version; null when unknown. */
  readonly confirmed: number | null;
}

interface Entry {
  session: Session;
  state: SessionState;
  notifiedAt: number;
  cancelNotify: (() => void) | null;
}

export class DeviceSync {
  readonly #options: DeviceSyncOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #syncedAt: Map<string, number>;
  readonly #confirmed: Map<string, number>;
  #isClosed = false;

  constructor(options: DeviceSyncOptions) {
    this.#options = options;
    this.#syncedAt = readNumbers(options.settings, SYNCED_AT_SETTING);
    this.#confirmed = readNumbers(options.settings, CONFIRMED_SETTING);
  }

  begin(link: Link): void {
    if (this.#isClosed) return link.close(linkEnd('closing'));
    const { peerId } = link;
    const former = this.#entries.get(peerId);
    former?.session.close(linkEnd('duplicate'));
    former?.cancelNotify?.();
    const context = this.#options.context();
    try {
      const session: Session = new Session(
        context,
        link,
        (state) => this.#moved(context, peerId, session, state),
        (version) => this.#hasConfirmed(context, peerId, session, version),
        (had) => this.#options.onPeerKnowsMore?.(peerId, had),
      );
      this.#entries.set(peerId, { session, state: NEW_SESSION, notifiedAt: 0, cancelNotify: null });
      this.#options.onChange(peerId);
      session.start();
    } catch (error) {
      // For example a full disk. Without a session the link is useless.
      context.log.error({ err: error, peerId }, 'could not start a sync session');
      link.close(linkEnd('listener-failed'));
    }
    return undefined;
  }

  status(deviceId: string): SyncStatus {
    return {
      state: this.#entries.get(deviceId)?.state ?? null,
      syncedAt: this.#syncedAt.get(deviceId) ?? null,
      confirmed: this.#confirmed.get(deviceId) ?? null,
    };
  }

  isConnected(deviceId: string): boolean {
    const name = this.#entries.get(deviceId)?.state.name;
    return name === 'live' || name === 'catching-up';
  }

  /** Asks the connected devices for an artifact, one after the other. Null if none has it. */
  async fetchArtifact(runId: string, sha256: string, askFirst: string): Promise<Uint8Array | null> {
    const ids = [...this.#entries.keys()].filter((id) => this.isConnected(id));
    const inOrder = ids.toSorted((a, b) => Number(b === askFirst) - Number(a === askFirst));
    for (const id of inOrder) {
      const content = await this.#entries.get(id)?.session.fetchArtifact(runId, sha256);
      if (content) return content;
    }
    return null;
  }

  /** Number of sessions by state. */
  counts(): { readonly [state: string]: number } {
    const counts: { [state: string]: number } = {};
    for (const { state } of this.#entries.values()) {
      counts[state.name] = (counts[state.name] ?? 0) + 1;
    }
    return counts;
  }

  /** Call before closing the links and the database. */
  close(): void {
    this.#isClosed = true;
    for (const { session, cancelNotify } of this.#entries.values()) {
      cancelNotify?.();
      session.close(linkEnd('closing'));
    }
  }

  #moved(context: SyncContext, peerId: string, session: Session, state: SessionState): void {
    const entry = this.#entries.get(peerId);
    if (entry?.session !== session) return;
    const before = entry.state.name;
    entry.state = state;
    const isNewState = state.name !== before;
    if (state.name === 'live') this.#syncedAt.set(peerId, context.clock.now());
    if (isNewState && (state.name === 'live' || state.name === 'ended')) this.#save(context);
    if (isNewState && state.name !== 'ended') {
      context.log.info({ peerId, sync: state.name }, 'sync state changed');
    }
    if (this.#isClosed) return;
    this.#notify(context, peerId, entry, isNewState);
    this.#options.onState?.(peerId, state);
    if (isNewState && state.name === 'live') this.#options.onLive?.(peerId);
  }

  #hasConfirmed(context: SyncContext, peerId: string, session: Session, version: number): void {
    const entry = this.#entries.get(peerId);
    if (entry?.session !== session || this.#confirmed.get(peerId) === version) return;
    this.#confirmed.set(peerId, version);
    if (!this.#isClosed) this.#notify(context, peerId, entry, false);
  }

  /** New states immediately, progress at intervals: a first sync reports thousands of times. */
  #notify({ clock }: SyncContext, peerId: string, entry: Entry, isNewState: boolean): void {
    if (entry.cancelNotify && !isNewState) return;
    entry.cancelNotify?.();
    const at = isNewState ? 0 : entry.notifiedAt + SYNC_NOTIFY_EVERY_MS;
    const notify = (): void => {
      entry.cancelNotify = null;
      entry.notifiedAt = clock.now();
      this.#options.onChange(peerId);
    };
    if (at <= clock.now()) return notify();
    entry.cancelNotify = clock.wakeAt(at, notify);
    return undefined;
  }

  /** Not on every change, which would double the writes. */
  #save({ log }: SyncContext): void {
    const { settings } = this.#options;
    try {
      settings.set(SYNCED_AT_SETTING, Object.fromEntries(this.#syncedAt));
      settings.set(CONFIRMED_SETTING, Object.fromEntries(this.#confirmed));
    } catch (error) {
      log.warn({ err: error }, 'could not save the sync status');
    }
  }
}

function readNumbers(settings: SettingsStore, name: string): Map<string, number> {
  const stored = settings.get(name);
  const entries = typeof stored === 'object' && stored !== null ? Object.entries(stored) : [];
  return new Map(
    entries.filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
  );
}
