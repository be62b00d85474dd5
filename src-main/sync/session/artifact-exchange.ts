// Artifacts over one link: this device asks for content by run and hash, and answers what the peer asks.
// A peer gets only content that a shared row of that run refers to. Both directions are bounded, and
// content that doesn't match its hash ends the session before anybody sees it.
import { hash } from 'node:crypto';
import { Refused } from '#main/sync/changes/refused.ts';
import type { Link } from '#main/sync/link/link.ts';
import {
  encodeArtifact,
  encodeControl,
  readArtifactFrame,
} from '#main/sync/session/control-messages.ts';
import type { SyncContext } from '#main/sync/session/sync-context.ts';
import { MAX_STORED_ARTIFACT_BYTES, SYNC_MAX_ARTIFACT_REQUESTS } from '#shared/limits.ts';

/** Twice as many as a device asks for: the peer may have an answer that still counts as unsent here. */
const MAX_ANSWERS = 2 * SYNC_MAX_ARTIFACT_REQUESTS;

interface OpenRequest {
  readonly runId: string;
  readonly sha256: string;
  readonly since: number;
  readonly resolve: (content: Uint8Array | null) => void;
}

export class ArtifactExchange {
  readonly #context: SyncContext;
  readonly #link: Link;
  readonly #onError: (error: unknown) => void;
  readonly #open = new Map<number, OpenRequest>();
  #waiting: (() => void)[] = [];
  #requests = 0;
  #answering = 0;
  #isStopped = false;

  constructor(context: SyncContext, link: Link, onError: (error: unknown) => void) {
    this.#context = context;
    this.#link = link;
    this.#onError = onError;
  }

  /** Since when an answer is due; null when none is. */
  get waitingSince(): number | null {
    const [oldest] = this.#open.values();
    return oldest?.since ?? null;
  }

  /** Null if the peer doesn't have it, or the session ended. */
  async request(runId: string, sha256: string): Promise<Uint8Array | null> {
    while (!this.#isStopped && this.#open.size >= SYNC_MAX_ARTIFACT_REQUESTS) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    if (this.#isStopped) return null;
    this.#requests += 1;
    const id = this.#requests;
    const since = this.#context.clock.now();
    const answer = new Promise<Uint8Array | null>((resolve) => {
      this.#open.set(id, { runId, sha256, since, resolve });
    });
    const message = { type: 'artifact-want', id, run: runId, sha256 } as const;
    this.#link.send(encodeControl(message)).catch(this.#onError);
    return answer;
  }

  /** The peer wants an artifact. Throws `Refused` if it asks for too much at once. */
  wanted(id: number, runId: string, sha256: string): void {
    if (this.#answering >= MAX_ANSWERS) {
      throw new Refused(
        'malformed-frame',
        `The other device asked for more than ${MAX_ANSWERS} artifacts at once.`,
      );
    }
    this.#answering += 1;
    // Not awaited: changes are merged while the file is read.
    this.#answer(id, runId, sha256)
      .catch(this.#onError)
      .finally(() => (this.#answering -= 1));
  }

  /** The peer doesn't have it. */
  isNone(id: number): void {
    this.#take(id).resolve(null);
  }

  received(frame: Uint8Array): void {
    const { id, content } = readArtifactFrame(frame);
    const { sha256, resolve } = this.#take(id);
    if (content.length > MAX_STORED_ARTIFACT_BYTES || hash('sha256', content) !== sha256) {
      resolve(null);
      throw new Refused(
        'malformed-frame',
        "The other device sent an artifact whose content doesn't match its hash.",
      );
    }
    resolve(content);
  }

  stop(): void {
    this.#isStopped = true;
    for (const { resolve } of this.#open.values()) resolve(null);
    this.#open.clear();
    this.#next();
  }

  async #answer(id: number, runId: string, sha256: string): Promise<void> {
    const content = await this.#read(runId, sha256);
    if (this.#isStopped) return;
    const isSendable = content !== undefined && content.length <= MAX_STORED_ARTIFACT_BYTES;
    await this.#link.send(
      isSendable ? encodeArtifact(id, content) : encodeControl({ type: 'artifact-none', id }),
    );
  }

  /** A damaged file counts as missing. */
  async #read(runId: string, sha256: string): Promise<Uint8Array | undefined> {
    try {
      return await this.#context.sharedArtifact(runId, sha256);
    } catch (error) {
      this.#context.log.warn({ err: error }, 'could not read an artifact for another device');
      return undefined;
    }
  }

  #take(id: number): OpenRequest {
    const request = this.#open.get(id);
    if (!request) {
      throw new Refused(
        'malformed-frame',
        'The other device sent an artifact that was not asked for.',
      );
    }
    this.#open.delete(id);
    this.#next();
    return request;
  }

  #next(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
