// `holdfast start WORKFLOW --input JSON [--wait]`. Exit codes with --wait: 0 succeeded, 1 failed or
// timed out, 2 needs a person, 3 skipped or canceled.
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { findWorkflow, WORKFLOW_HELP } from '#main/cli/find/find-workflow.ts';
import {
  PENDING_UNTIL_HOST_RUNS,
  withHost,
  type DataOption,
  type HostClient,
} from '#main/cli/host-client.ts';
import { describeStatus } from '#main/cli/inputs/inputs.ts';
import { parseJsonArgument } from '#main/cli/options/json-argument.ts';
import { printJson, printLine } from '#main/cli/print.ts';
import { ApiError } from '#shared/api/errors.ts';
import type { InputDetail } from '#shared/api/inputs.ts';
import type { Json } from '#shared/json.ts';
import type { AutomationRunStatus } from '#shared/machines/automation-run.ts';

interface StartOptions extends DataOption {
  readonly input?: Json;
  readonly topic?: string;
  readonly title?: string;
  readonly key?: string;
  readonly wait?: boolean;
  readonly json?: boolean;
}

const POLL_MS = 100;

const EXIT_CODES: { readonly [status in AutomationRunStatus]?: number } = {
  succeeded: 0,
  failed: 1,
  timed_out: 1,
  needs_human: 2,
  canceled: 3,
  skipped: 3,
};

export function startCommand(exitWith: (code: number) => void): Command {
  return new Command('start')
    .description('Start an input manually')
    .argument('<workflow>', WORKFLOW_HELP)
    .option('--input <json>', 'Payload of the input', parseJsonArgument)
    .option('--topic <topic>', 'Topic for the input; needed if there is more than one')
    .option('--title <title>', 'Title of the input')
    .option('--key <key>', 'Idempotency key: the same key starts the input only once')
    .option('--wait', 'Wait until the input ends or needs a person; sets the exit code')
    .addOption(dataOption())
    .option('--json', 'Print as JSON')
    .action((text: string, options: StartOptions) =>
      withHost(options, async (host) => exitWith(await start(host, text, options))),
    );
}

async function start(host: HostClient, text: string, options: StartOptions): Promise<number> {
  const { id: workflowId } = await findWorkflow(host, text);
  if (options.wait && !host.isRunning) {
    throw new ApiError({
      type: 'conflict',
      message:
        'No host is running on this data folder, so --wait would never end. Nothing was started. Start one with "holdfast serve", or omit --wait.',
    });
  }
  const { input, created } = await host.call('inputs.start', {
    requestId: options.key ?? randomUUID(),
    workflowId,
    payload: options.input ?? null,
    ...(options.topic === undefined ? {} : { topic: options.topic }),
    ...(options.title === undefined ? {} : { title: options.title }),
  });
  if (!options.wait) {
    if (options.json) printJson({ input, created });
    else {
      printLine(created ? `Started input ${input.id}.` : `Input ${input.id} was already started.`);
      if (!host.isRunning) printLine(PENDING_UNTIL_HOST_RUNS);
    }
    return 0;
  }
  const ended = await waitForEnd(host, input.id);
  if (options.json) printJson({ input: ended, created });
  else {
    const { statusReason } = ended.run;
    printLine(`${describeStatus(ended.run)}${statusReason === null ? '' : `: ${statusReason}`}`);
    printLine(`For details, run: holdfast show ${input.id}`);
  }
  return EXIT_CODES[ended.run.status] ?? 1;
}

async function waitForEnd(host: HostClient, inputId: string): Promise<InputDetail> {
  for (;;) {
    const input = await host.call('inputs.get', { inputId });
    if (EXIT_CODES[input.run.status] !== undefined) return input;
    await wait(POLL_MS);
  }
}
