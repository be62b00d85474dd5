// Access to the content of artifacts: on this device, or fetched from another one.
import type { ArtifactFiles } from '#main/input-lifecycle/policies.ts';
import type { Artifact } from '#shared/inputs/artifacts.ts';

export type ArtifactContent =
  | { readonly type: 'content'; readonly content: Uint8Array }
  /** No device that is connected has it; `message` says where it is and what to do. */
  | { readonly type: 'unavailable'; readonly message: string };

export interface ArtifactAccess extends ArtifactFiles {
  /** Fetches the content from another device if it is not here. */
  read(artifact: Artifact): Promise<ArtifactContent>;
}
