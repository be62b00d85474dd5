// Artifacts by their rows: the content from this device's files, or fetched from a device that has it.
// A fetched artifact is verified, stored, and read locally afterwards.
import { hash } from 'node:crypto';
import type { Logger } from 'pino';
import {
  ArtifactDamaged,
  type Artifact as Stored,
  type ArtifactStore,
} from '#main/inputs/artifacts.ts';
import type { ArtifactAccess, ArtifactContent } from '#main/input-lifecycle/artifact-access.ts';
import { artifactsOf } from '#main/input-lifecycle/input-artifacts.ts';
import type { Stores } from '#main/store/stores.ts';
import type { Artifact } from '#shared/inputs/artifacts.ts';
import type { Json } from '#shared/json.ts';
import { MAX_STORED_ARTIFACT_BYTES } from '#shared/limits.ts';

export interface ArtifactRequest {
  readonly runId: string;
  readonly sha256: string;
  /** The device to ask first. */
  readonly deviceId: string;
}

export interface PeerArtifacts {
  /** The content from a connected device; null if none of them has it. */
  fetch(request: ArtifactRequest): Promise<Uint8Array | null>;
  isConnected(deviceId: string): boolean;
  nameOf(deviceId: string): string;
}

export interface ArtifactLibraryOptions {
  readonly files: ArtifactStore;
  readonly stores: Stores;
  readonly peers: PeerArtifacts;
  readonly deviceId: string;
  /** Content of this automation run arrived. */
  readonly onFetched: (runId: string) => void;
  readonly log: Pick<Logger, 'warn'>;
}

/** Artifacts that somebody opened and no connected device had. */
const MAX_WANTED = 100;

export class ArtifactLibrary implements ArtifactAccess {
  readonly files: ArtifactStore;
  readonly #options: ArtifactLibraryOptions;
  readonly #fetching = new Map<string, Promise<Uint8Array | null>>();
  readonly #wanted = new Map<string, Artifact>();

  constructor(options: ArtifactLibraryOptions) {
    this.files = options.files;
    this.#options = options;
  }

  put(content: Uint8Array | Json): Promise<Stored> {
    return this.files.put(content);
  }

  get(ref: string): Promise<Uint8Array | undefined> {
    return this.files.get(ref);
  }

  async read(artifact: Artifact): Promise<ArtifactContent> {
    const local = await this.#local(artifact);
    const content = local ?? (await this.#fetch(artifact));
    if (content) return { type: 'content', content };
    this.#remember(artifact);
    return { type: 'unavailable', message: this.#whereItIs(artifact) };
  }

  /** For a paired device: content that a shared row of this run names. */
  async shared(runId: string, sha256: string): Promise<Uint8Array | undefined> {
    const { stores } = this.#options;
    const isShared = artifactsOf(stores, runId).some((one) => one.sha256 === sha256);
    return isShared ? this.files.get(sha256) : undefined;
  }

  /** Fetches what was opened while no connected device had it. Call when a device connected. */
  async fetchWanted(): Promise<void> {
    for (const artifact of this.#wanted.values()) {
      if (await this.#fetch(artifact)) this.#wanted.delete(artifact.id);
    }
  }

  /** Undefined if it is missing or damaged. */
  async #local({ sha256 }: Artifact): Promise<Uint8Array | undefined> {
    try {
      return await this.files.get(sha256);
    } catch (error) {
      if (!(error instanceof ArtifactDamaged)) throw error;
      this.#options.log.warn({ err: error }, 'an artifact is damaged; asking other devices for it');
      return undefined;
    }
  }

  #fetch(artifact: Artifact): Promise<Uint8Array | null> {
    const { sha256 } = artifact;
    const known = this.#fetching.get(sha256);
    if (known) return known;
    const fetching = this.#fetchOnce(artifact).finally(() => this.#fetching.delete(sha256));
    this.#fetching.set(sha256, fetching);
    return fetching;
  }

  async #fetchOnce({ runId, sha256, deviceId }: Artifact): Promise<Uint8Array | null> {
    const content = await this.#options.peers.fetch({ runId, sha256, deviceId });
    if (!content) return null;
    // The link has checked both as well. Nothing else may get under this name.
    if (content.length > MAX_STORED_ARTIFACT_BYTES || hash('sha256', content) !== sha256)
      return null;
    await this.files.put(content);
    this.#options.onFetched(runId);
    return content;
  }

  #remember(artifact: Artifact): void {
    if (this.#wanted.size >= MAX_WANTED) {
      const [oldest] = this.#wanted.keys();
      if (oldest !== undefined) this.#wanted.delete(oldest);
    }
    this.#wanted.set(artifact.id, artifact);
  }

  #whereItIs({ name, deviceId }: Artifact): string {
    const { peers, deviceId: ours } = this.#options;
    if (deviceId === ours) {
      return `The content of "${name}" is missing or damaged on this device, and no connected device has it. The record of it stays. Connect a device that opened it before.`;
    }
    const device = peers.nameOf(deviceId);
    return peers.isConnected(deviceId)
      ? `${device} is connected but doesn't have the content of "${name}" any more. The record of it stays.`
      : `The content of "${name}" is on ${device}, which is not connected. Holdfast fetches it when both devices are connected.`;
  }
}
