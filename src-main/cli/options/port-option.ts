import { InvalidArgumentError } from 'commander';

export function parsePort(text: string): number {
  const port = Number(text);
  // Number('') is 0, so the text must have digits.
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('Must be a port number from 0 to 65535.');
}
