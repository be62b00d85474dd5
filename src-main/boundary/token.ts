// The bearer token of the loopback API: random, kept in a file that only its owner can read, and
// compared in constant time.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const TOKEN_PATTERN = /^[\w-]{43}$/;

export function tokenPath(dataDir: string): string {
  return join(dataDir, 'api-token');
}

export function ensureToken(dataDir: string): string {
  const path = tokenPath(dataDir);
  const known = readToken(dataDir);
  if (known) {
    // Someone may have copied the folder with looser rights.
    chmodSync(path, 0o600);
    return known;
  }
  return makeToken(dataDir);
}

/** The token while a host runs. Made when it is first asked for: a single call needs none. */
export interface ApiToken {
  readonly current: string;
  /** From now on only the new one, which is returned, is taken. */
  rotate(): string;
  onRotate(listener: () => void): void;
}

export function openApiToken(dataDir: string): ApiToken {
  const listeners: (() => void)[] = [];
  let token: string | undefined;
  return {
    get current() {
      return (token ??= ensureToken(dataDir));
    },
    rotate() {
      token = makeToken(dataDir);
      for (const listener of listeners) listener();
      return token;
    },
    onRotate(listener) {
      listeners.push(listener);
    },
  };
}

/** Beside and then in its place: a crash leaves the old one or the new one, never half of one. */
function makeToken(dataDir: string): string {
  const path = tokenPath(dataDir);
  const token = randomBytes(32).toString('base64url');
  writeFileSync(`${path}.new`, token, { mode: 0o600 });
  renameSync(`${path}.new`, path);
  return token;
}

export function readToken(dataDir: string): string | undefined {
  try {
    const text = readFileSync(tokenPath(dataDir), 'utf8').trim();
    return TOKEN_PATTERN.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

export function isSameToken(given: string, expected: string): boolean {
  // Hashing first gives equal lengths, which timingSafeEqual needs, and hides the true one.
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
