// The bearer token of the loopback API: random, stored in an owner-only file, compared in constant
// time.
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
    // A copied folder may have wider permissions.
    chmodSync(path, 0o600);
    return known;
  }
  return makeToken(dataDir);
}

/** The token of a running host. Created on first use, because a single command needs none. */
export interface ApiToken {
  readonly current: string;
  /** Replaces the token and returns the new one. */
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

/** Written to a temporary file and renamed, so that a crash leaves a complete token. */
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
  // timingSafeEqual needs equal lengths; hashing provides them and hides the token's length.
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
