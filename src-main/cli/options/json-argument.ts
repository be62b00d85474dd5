import { InvalidArgumentError } from 'commander';
import { parseExactJson } from '#shared/exact-json.ts';
import type { Json } from '#shared/json.ts';

/** Parses arguments and options that hold JSON. */
export function parseJsonArgument(text: string): Json {
  try {
    return parseExactJson(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new InvalidArgumentError(
      `Must be JSON: ${why}. Strings need double quotes: '"like this"'.`,
    );
  }
}
