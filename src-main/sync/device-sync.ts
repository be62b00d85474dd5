// The sync sessions of this host: one for each link, made when the link is and gone with it. Keeps
// how it stands with each device, for people to see, and tells when that has changed.
import { Session } from '#main/sync/session/session.ts';
import type { SyncContext } from '#main/sync/session/sync-context.ts';
import type { Link } from '#main/sync/link/link.ts';
import type { SettingsStore } from '#main/store/tables/settings.ts';
import { SYNC_TOLD_EVERY_MS } from '#shared/limits.ts';
import { linkEnd } from '#shared/sync/link-ends.ts';
import { NEW_SESSION, type SessionState } from '#shared/sync/session.ts';

const SYNCED_AT_SETTING = 'synced_at';
const CONFIRMED_SETTING = 'confirmed_versions';

export interface DeviceSyncOptions {
  /** Asked for with each link: joining a space changes it. */
  readonly context: () => SyncContext;
  readonly settings: SettingsStore;
  /** What people see of this device has changed. */
  readonly tell: (deviceId: string) => void;
}

export interface SyncStanding {
  /** Null: no session since this host was started. */
  readonly state: SessionState | null;
  /** When both last had everything of each other. */
  readonly syncedAt: number | null;
  /** It has everything of ours up to this version, or more; null: not known. */
  readonly confirmed: number | null;
}

interface Entry {
  session: Session;
  state: SessionState;
  toldAt: number;
  callOffTelling: (() => void) | null;
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
    former?.callOffTelling?.();
    const context = this.#options.context();
    try {
      const session: Session = new Session(
        context,
        link,
        (state) => this.#moved(context, peerId, session, state),
        (version) => this.#hasConfirmed(context, peerId, session, version),
      );
      this.#entries.set(peerId, { session, state: NEW_SESSION, toldAt: 0, callOffTelling: null });
      this.#options.tell(peerId);
      session.start();
    } catch (error) {
      // A full disk, say. The link is not to blame, but without a session it is of no use.
      context.log.error({ err: error, peerId }, 'a sync session could not begin');
      link.close(linkEnd('listener-failed'));
    }
    return undefined;
  }

  standing(deviceId: string): SyncStanding {
    return {
      state: this.#entries.get(deviceId)?.state ?? null,
      syncedAt: this.#syncedAt.get(deviceId) ?? null,
      confirmed: this.#confirmed.get(deviceId) ?? null,
    };
  }

  /** How many sessions stand how. */
  counts(): { readonly [state: string]: number } {
    const counts: { [state: string]: number } = {};
    for (const { state } of this.#entries.values()) {
      counts[state.name] = (counts[state.name] ?? 0) + 1;
    }
    return counts;
  }

  /** Before the links are ended and the database is closed. */
  close(): void {
    this.#isClosed = true;
    for (const { session, callOffTelling } of this.#entries.values()) {
      callOffTelling?.();
      session.close(linkEnd('closing'));
    }
  }

  #moved(context: SyncContext, peerId: string, session: Session, state: SessionState): void {
    const entry = this.#entries.get(peerId);
    if (entry?.session !== session) return;
    const before = entry.state.name;
    entry.state = state;
    const isNews = state.name !== before;
    if (state.name === 'live') this.#syncedAt.set(peerId, context.clock.now());
    if (isNews && (state.name === 'live' || state.name === 'ended')) this.#keep(context);
    if (isNews && state.name !== 'ended') {
      context.log.info({ peerId, sync: state.name }, 'sync with a device');
    }
    if (!this.#isClosed) this.#tell(context, peerId, entry, isNews);
  }

  #hasConfirmed(context: SyncContext, peerId: string, session: Session, version: number): void {
    const entry = this.#entries.get(peerId);
    if (entry?.session !== session || this.#confirmed.get(peerId) === version) return;
    this.#confirmed.set(peerId, version);
    if (!this.#isClosed) this.#tell(context, peerId, entry, false);
  }

  /** Each new state at once, figures now and then: a first sync has thousands of them. */
  #tell({ clock }: SyncContext, peerId: string, entry: Entry, isNews: boolean): void {
    if (entry.callOffTelling && !isNews) return;
    entry.callOffTelling?.();
    const at = isNews ? 0 : entry.toldAt + SYNC_TOLD_EVERY_MS;
    const tell = (): void => {
      entry.callOffTelling = null;
      entry.toldAt = clock.now();
      this.#options.tell(peerId);
    };
    if (at <= clock.now()) return tell();
    entry.callOffTelling = clock.wakeAt(at, tell);
    return undefined;
  }

  /** Not with every change: that would be a write for each write. */
  #keep({ log }: SyncContext): void {
    const { settings } = this.#options;
    try {
      settings.set(SYNCED_AT_SETTING, Object.fromEntries(this.#syncedAt));
      settings.set(CONFIRMED_SETTING, Object.fromEntries(this.#confirmed));
    } catch (error) {
      log.warn({ err: error }, 'how far the sync has come could not be kept');
    }
  }
}

function readNumbers(settings: SettingsStore, name: string): Map<string, number> {
  const kept = settings.get(name);
  const entries = typeof kept === 'object' && kept !== null ? Object.entries(kept) : [];
  return new Map(
    entries.filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
  );
}
