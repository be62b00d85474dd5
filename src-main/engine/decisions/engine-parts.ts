// The parts of the engine that decisions act on.
import type { Commands } from '#main/engine/decisions/commands.ts';
import type { EngineContext } from '#main/engine/engine-context.ts';
import type { Lanes } from '#main/engine/lane/lanes.ts';
import type { Ownership } from '#main/engine/ownership/ownership.ts';

export interface EngineParts {
  readonly context: EngineContext;
  readonly lanes: Lanes;
  readonly commands: Commands;
  readonly ownership: Ownership;
}
