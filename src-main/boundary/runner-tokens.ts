// Named tokens for the runner's REST API. Each belongs to one caller, so that limits and idempotency
// keys are separate for who authenticated, not for who a request says it is. Only hashes are stored.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { IncomingMessage } from 'node:http';
import { bearerOf, checkToken } from '#main/boundary/http-guard.ts';
import type { ApiErrorBody } from '#shared/api/errors.ts';
import { callerName } from '#shared/api/runner.ts';

/** The caller that has the API token of the host. */
export const HOST_CALLER = 'api';

const fileSchema = z.record(callerName, z.string().regex(/^[0-9a-f]{64}$/));
type Hashes = z.output<typeof fileSchema>;

export interface RunnerTokens {
  names(): string[];
  /** The new token, which is not stored and can't be read again. Null if the name is taken. */
  add(name: string): string | null;
  /** False if there is no such token. */
  remove(name: string): boolean;
  /** The name of the token. */
  callerOf(token: string): string | null;
}

export function openRunnerTokens(dataDir: string): RunnerTokens {
  const path = join(dataDir, 'runner-tokens.json');
  return {
    names: () => Object.keys(read(path)).toSorted(),
    add(name) {
      const hashes = read(path);
      if (Object.hasOwn(hashes, name)) return null;
      const token = randomBytes(32).toString('base64url');
      write(path, { ...hashes, [name]: hashOf(token) });
      return token;
    },
    remove(name) {
      const { [name]: removed, ...others } = read(path);
      if (removed === undefined) return false;
      write(path, others);
      return true;
    },
    callerOf(token) {
      const given = Buffer.from(hashOf(token), 'hex');
      // Compares with every token, so that the time says nothing about their order.
      const compared = Object.entries(read(path)).map(([name, hash]) => ({
        name,
        isSame: timingSafeEqual(Buffer.from(hash, 'hex'), given),
      }));
      return compared.find(({ isSame }) => isSame)?.name ?? null;
    },
  };
}

export type Authenticated =
  | { readonly ok: true; readonly caller: string }
  | { readonly ok: false; readonly error: ApiErrorBody };

/** Returns the caller of the runner: the host's own token, or a named one. */
export function authenticateCaller(
  request: IncomingMessage,
  hostToken: string,
  tokens: RunnerTokens,
): Authenticated {
  const error = checkToken(request, hostToken);
  if (!error) return { ok: true, caller: HOST_CALLER };
  const given = bearerOf(request);
  const caller = given === undefined ? null : tokens.callerOf(given);
  return caller === null ? { ok: false, error } : { ok: true, caller };
}

/** Read each time: a removed token stops working at once, whatever process removed it. */
function read(path: string): Hashes {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
  return fileSchema.parse(JSON.parse(text));
}

/** Written to a temporary file and renamed, so that a crash leaves a complete file. */
function write(path: string, hashes: Hashes): void {
  writeFileSync(`${path}.new`, JSON.stringify(hashes), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
