// `holdfast call NAME [JSON]`: any call of the contract, for scripts. It goes to the running host
// of the data folder; where none runs, the folder is opened just for this call.
import { Command } from 'commander';
import { parseJson } from '#main/api/http-body.ts';
import { readToken } from '#main/api/token.ts';
import { dataOption } from '#main/cli/data-option.ts';
import { chooseDataDir } from '#main/host/data-dir.ts';
import { isFolderLocked, readHostRecord } from '#main/host/folder-lock.ts';
import { createHost } from '#main/host/host.ts';
import { createLog } from '#main/host/log.ts';
import { CALL_NAMES } from '#shared/api/contract.ts';
import { ApiError, type ApiResult } from '#shared/api/errors.ts';

export function callCommand(): Command {
  return new Command('call')
    .description('make one call of the API and print its answer as JSON')
    .argument('<name>', `one of: ${CALL_NAMES.join(', ')}`)
    .argument('[json]', 'its input', '{}')
    .addOption(dataOption())
    .action(async (name: string, json: string, options: { data?: string }) => {
      const result = await callHost(chooseDataDir(options.data), name, parseInput(json));
      if (!result.ok) throw new ApiError(result.error);
      process.stdout.write(`${JSON.stringify(result.output, null, 2)}\n`);
    });
}

function parseInput(json: string): unknown {
  const parsed = parseJson(json);
  if (parsed.ok) return parsed.value;
  throw new ApiError(parsed.error);
}

async function callHost(
  dataDir: string,
  name: string,
  input: unknown,
): Promise<ApiResult<unknown>> {
  const url = readHostRecord(dataDir)?.url;
  const token = readToken(dataDir);
  if (url !== undefined && token !== undefined && isFolderLocked(dataDir)) {
    return callOverHttp(url, token, name, input);
  }
  const host = createHost({ dataDir, createLog: () => createLog(dataDir) });
  try {
    return await host.dispatch(name, input);
  } finally {
    host.close();
  }
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
