// Dispatches every API call: checks the name, validates the input, and returns errors as values. A
// call that may have written is answered when its writes are on disk.
import type { Logger } from 'pino';
import { z } from 'zod';
import { inputFlaw } from '#main/boundary/json-validity.ts';
import { isRead } from '#main/api/read-calls.ts';
import { isBusy, isDiskFull } from '#main/store/sqlite/sqlite-errors.ts';
import { SecretRefused } from '#main/secrets/secret-store.ts';
import { PairingFailed } from '#main/sync/link/pairing-failed.ts';
import { BadCursor } from '#main/store/sqlite/keyset-cursor.ts';
import { UnreadableRow } from '#main/store/sqlite/refused-set.ts';
import { RunEventInvalid } from '#main/store/tables/run-log.ts';
import {
  contract,
  isCallName,
  type CallArguments,
  type CallName,
  type CallOutput,
} from '#shared/api/contract.ts';
import {
  ApiError,
  type ApiErrorBody,
  type ApiErrorType,
  type ApiResult,
} from '#shared/api/errors.ts';
import type { PairingFailure } from '#shared/sync/pairing/failures.ts';
import { MAX_PROBLEM_LENGTH, MAX_PROBLEMS } from '#shared/limits.ts';

export type Handlers = {
  [Name in CallName]: (input: CallArguments<Name>) => CallOutput<Name> | Promise<CallOutput<Name>>;
};

export type Dispatch = (name: string, input: unknown) => Promise<ApiResult<unknown>>;

export interface DispatchOptions {
  readonly handlers: Handlers;
  readonly log: Logger;
  /** Resolves when every commit so far is on disk. */
  readonly fsync: () => Promise<void>;
}

export function createDispatch({ handlers, log, fsync }: DispatchOptions): Dispatch {
  return async (name, input) => {
    if (!isCallName(name)) return failure(unknownCall(name));
    const flaw = inputFlaw(input);
    if (flaw !== null) return failure(invalidInput(name, [`input: ${flaw}`]));
    const parsed = contract[name].input.safeParse(input);
    if (!parsed.success) return failure(invalidInput(name, problemsOf(parsed.error)));
    try {
      // TypeScript cannot correlate the name with its handler's types through a union.
      const handler = handlers[name] as (input: unknown) => unknown;
      const output = await handler(parsed.data);
      return isRead(name) ? { ok: true, output } : await answerDurably(output);
    } catch (error) {
      return failure(toErrorBody(error, name, log));
    }
  };

  async function answerDurably(output: unknown): Promise<ApiResult<unknown>> {
    try {
      await fsync();
      return { ok: true, output };
    } catch (error) {
      log.error({ err: error }, 'could not fsync before answering a call');
      return failure({ type: 'internal', message: NOT_ON_DISK });
    }
  }
}

export const NOT_ON_DISK =
  'The change was made, but the disk failed to store it: a power cut could undo it. Check the disk and its free space, then look whether the change is there.';

function toErrorBody(error: unknown, name: CallName, log: Logger): ApiErrorBody {
  if (error instanceof ApiError) return error.toBody();
  if (error instanceof RunEventInvalid) {
    return { type: 'invalid_input', message: error.message, problems: error.problems };
  }
  if (error instanceof SecretRefused) return { type: 'invalid_input', message: error.message };
  if (error instanceof PairingFailed) return pairingFailure(error);
  if (error instanceof BadCursor) return { type: 'invalid_input', message: error.message };
  if (error instanceof UnreadableRow) return { type: 'conflict', message: error.message };
  const storage = storageProblem(error);
  if (storage) return storage;
  log.error({ err: error, call: name }, 'API call failed');
  return {
    type: 'internal',
    message: `"${name}" failed with an internal error. Nothing was written. See the host's log.`,
  };
}

/** Errors of a database that could not be written and stays intact. */
export function storageProblem(error: unknown): ApiErrorBody | null {
  if (isBusy(error)) {
    return {
      type: 'busy',
      message: 'The database was locked by another process. Nothing was written. Try again.',
    };
  }
  if (isDiskFull(error)) {
    return {
      type: 'storage_full',
      message: 'The disk is full. Nothing was written. Free some space, then try again.',
    };
  }
  return null;
}

function pairingFailure({ why, message }: PairingFailed): ApiErrorBody {
  const types: { readonly [name in PairingFailure]?: ApiErrorType } = {
    'bad-link': 'invalid_input',
    'bad-address': 'invalid_input',
    unreachable: 'unreachable',
    gone: 'unreachable',
    'timed-out': 'unreachable',
  };
  return { type: types[why] ?? 'conflict', message, reason: why };
}

function unknownCall(name: string): ApiErrorBody {
  const shown = JSON.stringify(name.slice(0, 80));
  return { type: 'unknown_call', message: `There is no API call named ${shown}.` };
}

function problemsOf(error: z.ZodError): string[] {
  return error.issues
    .slice(0, MAX_PROBLEMS)
    .map(({ path, message }) => `${path.map(String).join('.') || 'input'}: ${message}`)
    .map((text) =>
      text.length > MAX_PROBLEM_LENGTH ? `${text.slice(0, MAX_PROBLEM_LENGTH)}…` : text,
    );
}

function invalidInput(name: CallName, problems: readonly string[]): ApiErrorBody {
  return {
    type: 'invalid_input',
    message: `The input of "${name}" is invalid: ${problems.slice(0, 3).join('; ')}. Nothing was written.`,
    problems,
  };
}

function failure(error: ApiErrorBody): ApiResult<never> {
  return { ok: false, error };
}
