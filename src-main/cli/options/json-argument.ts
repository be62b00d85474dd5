import { InvalidArgumentError } from 'commander';
import type { Json } from '#shared/json.ts';

/** For arguments and options that are JSON. */
export function parseJsonArgument(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new InvalidArgumentError(
      `It is not JSON: ${why}. A text needs its quotes, too: '"like this"'.`,
    );
  }
}
