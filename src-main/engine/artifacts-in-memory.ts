// Artifacts of a dry run: nothing of it stays.
import { hash } from 'node:crypto';
import type { ArtifactAccess, ArtifactContent } from '#main/input-lifecycle/artifact-access.ts';
import type { Artifact } from '#shared/inputs/artifacts.ts';
import { canonicalJson, type Json } from '#shared/json.ts';

export class ArtifactsInMemory implements ArtifactAccess {
  readonly #contents = new Map<string, Uint8Array>();

  async put(value: Uint8Array | Json): Promise<{ ref: string; bytes: number }> {
    const content = value instanceof Uint8Array ? value : Buffer.from(canonicalJson(value));
    const ref = hash('sha256', content);
    this.#contents.set(ref, content);
    return { ref, bytes: content.length };
  }

  async get(ref: string): Promise<Uint8Array | undefined> {
    return this.#contents.get(ref);
  }

  async read({ sha256, name }: Artifact): Promise<ArtifactContent> {
    const content = this.#contents.get(sha256);
    if (content) return { type: 'content', content };
    return { type: 'unavailable', message: `A dry run doesn't have the content of "${name}".` };
  }
}
