import { InvalidArgumentError } from 'commander';
import type { Json } from '#shared/json.ts';

/** Parses arguments and options that hold JSON. */
export function parseJsonArgument(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new InvalidArgumentError(
      `Must be JSON: ${why}. Strings need double quotes: '"like this"'.`,
    );
  }
}
