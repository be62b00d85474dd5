// The commands' connection to the host. A running host is called over HTTP. Without one, the command
// opens the data folder itself and starts no workflow. Host modules are imported only in that case,
// which keeps start-up fast.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readToken } from '#main/boundary/token.ts';
import { chooseDataDir } from '#main/data-folder/data-dir.ts';
import { chooseStateDir } from '#main/data-folder/state-dir.ts';
import { isFolderLocked, readHostRecord } from '#main/data-folder/folder-lock.ts';
import type { Host } from '#main/host/host.ts';
import type { CallInput, CallName, CallOutput } from '#shared/api/contract.ts';
import { ApiError, type ApiResult } from '#shared/api/errors.ts';

export interface HostClient {
  /** False: requests are stored and carried out when a host runs. */
  readonly isRunning: boolean;
  /** Throws `ApiError` if the call fails. */
  call<Name extends CallName>(name: Name, input: CallInput<Name>): Promise<CallOutput<Name>>;
  /** Takes a name and an input that are not validated yet. */
  callAny(name: string, input: unknown): Promise<unknown>;
}

/** The value of `dataOption`. */
export interface DataOption {
  readonly data?: string;
}

export const PENDING_UNTIL_HOST_RUNS =
  'No host is running on this data folder. This takes effect when one starts ("holdfast serve").';

/** For commands that only a running host can carry out. `whatIsSafe`: "Nothing was …" */
export function requireRunningHost(host: HostClient, whatIsSafe: string): void {
  if (host.isRunning) return;
  throw new ApiError({
    type: 'conflict',
    message: `No host is running on this data folder. ${whatIsSafe} Start one with "holdfast serve", then try again.`,
  });
}

export async function withHost<Result>(
  options: DataOption,
  work: (host: HostClient) => Promise<Result>,
): Promise<Result> {
  const running = runningHost(options);
  if (running) return work(running);
  const host = await openIdleHost(chooseDataDir(options.data));
  try {
    return await work(toClient(false, host.dispatch));
  } finally {
    await host.close();
  }
}

/** The host that runs on this data folder, if there is one. */
export function runningHost(options: DataOption): HostClient | undefined {
  const dataDir = chooseDataDir(options.data);
  const url = readHostRecord(dataDir)?.url;
  const token = readToken(dataDir);
  if (url === undefined || token === undefined || !isFolderLocked(dataDir)) return undefined;
  return toClient(true, (name, input) => callOverHttp(url, token, name, input));
}

/** A host on an empty temporary folder, whose reads may use the secrets of `secretsDir`. */
export async function withTemporaryHost<Result>(
  secretsDir: string,
  work: (host: HostClient) => Promise<Result>,
): Promise<Result> {
  const { createHost } = await import('#main/host/host.ts');
  const { createSilentLog } = await import('#main/host/log.ts');
  const dataDir = mkdtempSync(join(tmpdir(), 'holdfast-try-'));
  try {
    const host = createHost({
      dataDir,
      secretsDir,
      createLog: createSilentLog,
      runsWorkflows: false,
    });
    try {
      return await work(toClient(false, host.dispatch));
    } finally {
      await host.close();
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** A host for one command. It answers calls and runs no workflow. */
export async function openIdleHost(dataDir: string): Promise<Host> {
  const { createHost } = await import('#main/host/host.ts');
  const { createLog } = await import('#main/host/log.ts');
  const { resolveLinkAddress } = await import('#main/host/link-address.ts');
  return createHost({
    dataDir,
    stateDir: chooseStateDir(),
    createLog: (masker) => createLog(dataDir, masker),
    runsWorkflows: false,
    links: resolveLinkAddress(),
  });
}

type Transport = (name: string, input: unknown) => Promise<ApiResult<unknown>>;

function toClient(isRunning: boolean, transport: Transport): HostClient {
  const callAny = async (name: string, input: unknown): Promise<unknown> => {
    const result = await transport(name, input);
    if (result.ok) return result.output;
    throw new ApiError(result.error);
  };
  return {
    isRunning,
    callAny,
    call: async <Name extends CallName>(name: Name, input: CallInput<Name>) =>
      (await callAny(name, input)) as CallOutput<Name>,
  };
}

async function callOverHttp(
  url: string,
  token: string,
  name: string,
  input: unknown,
): Promise<ApiResult<unknown>> {
  const response = await fetch(`${url}/api/call/${encodeURIComponent(name)}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(input),
  }).catch((cause: unknown) => {
    throw new ApiError(
      {
        type: 'unreachable',
        message: `The host of this data folder does not respond at ${url}. It may or may not have received the call. Check it with "holdfast doctor", then try again.`,
      },
      { cause },
    );
  });
  return (await response.json()) as ApiResult<unknown>;
}
