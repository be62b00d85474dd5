import { InvalidArgumentError } from 'commander';

export function parsePort(text: string): number {
  const port = Number(text);
  // Digits only: to Number, nothing at all is 0 as well.
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('A port is a whole number from 0 to 65535.');
}
