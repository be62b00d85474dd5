// The bearer token of the loopback API: random, kept in a file that only its owner can read, and
// compared in constant time.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
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
  const token = randomBytes(32).toString('base64url');
  writeFileSync(path, token, { mode: 0o600 });
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
