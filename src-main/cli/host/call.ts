// `holdfast call NAME [JSON]`: any call of the API contract, for scripts.
import { Command } from 'commander';
import { parseJson } from '#main/boundary/http-body.ts';
import { dataOption } from '#main/cli/options/data-option.ts';
import { withHost, type DataOption } from '#main/cli/host-client.ts';
import { printJson } from '#main/cli/print.ts';
import { CALL_NAMES } from '#shared/api/contract.ts';
import { ApiError } from '#shared/api/errors.ts';

export function callCommand(): Command {
  return new Command('call')
    .description('Make one API call and print the result as JSON')
    .argument('<name>', `One of: ${CALL_NAMES.join(', ')}`)
    .argument('[json]', 'Input of the call', '{}')
    .addOption(dataOption())
    .action(async (name: string, json: string, options: DataOption) => {
      const input = parseInput(json);
      printJson(await withHost(options, (host) => host.callAny(name, input)));
    });
}

function parseInput(json: string): unknown {
  const parsed = parseJson(json);
  if (parsed.ok) return parsed.value;
  throw new ApiError(parsed.error);
}
