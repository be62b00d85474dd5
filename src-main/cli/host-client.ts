// How every command reaches the data: through the running host of the folder, over HTTP; where none
// runs, the folder is opened just for this command, and then nothing runs in it. Everything that
// only a host needs is loaded only then: a command shall answer at once.
import { readToken } from '#main/boundary/token.ts';
import { chooseDataDir } from '#main/data-folder/data-dir.ts';
import { isFolderLocked, readHostRecord } from '#main/data-folder/folder-lock.ts';
import type { Host } from '#main/host/host.ts';
import type { CallInput, CallName, CallOutput } from '#shared/api/contract.ts';
import { ApiError, type ApiResult } from '#shared/api/errors.ts';

export interface HostCalls {
  /** False: what is asked for is written down, and done when a host runs. */
  readonly isRunning: boolean;
  /** Throws `ApiError` where the answer is one. */
  call<Name extends CallName>(name: Name, input: CallInput<Name>): Promise<CallOutput<Name>>;
  /** For a name and an input that nobody has looked at yet. */
  callAny(name: string, input: unknown): Promise<unknown>;
}

/** What `dataOption` gives. */
export interface DataOption {
  readonly data?: string;
}

export const WAITS_FOR_HOST =
  'No host runs on this folder: it waits until one does ("holdfast serve").';

export const WAITS_FOR_OWNER =
  'Another device runs this workflow: it is done when that device hears of it.';

export async function withHost<Result>(
  options: DataOption,
  work: (host: HostCalls) => Promise<Result>,
): Promise<Result> {
  const dataDir = chooseDataDir(options.data);
  const url = readHostRecord(dataDir)?.url;
  const token = readToken(dataDir);
  if (url !== undefined && token !== undefined && isFolderLocked(dataDir)) {
    return work(toCalls(true, (name, input) => callOverHttp(url, token, name, input)));
  }
  const host = await openQuietly(dataDir);
  try {
    return await work(toCalls(false, host.dispatch));
  } finally {
    await host.close();
  }
}

/** A host for this command only: nothing runs in it. */
export async function openQuietly(dataDir: string): Promise<Host> {
  const { createHost } = await import('#main/host/host.ts');
  const { createLog } = await import('#main/host/log.ts');
  const { chooseLinkPlace } = await import('#main/host/link-address.ts');
  return createHost({
    dataDir,
    createLog: () => createLog(dataDir),
    runsWorkflows: false,
    links: chooseLinkPlace(),
  });
}

type Carry = (name: string, input: unknown) => Promise<ApiResult<unknown>>;

function toCalls(isRunning: boolean, carry: Carry): HostCalls {
  const callAny = async (name: string, input: unknown): Promise<unknown> => {
    const result = await carry(name, input);
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
        message: `The host of this data folder does not answer at ${url}. Whether it got the call is not known. See how it is with "holdfast doctor", then try again.`,
      },
      { cause },
    );
  });
  return (await response.json()) as ApiResult<unknown>;
}
