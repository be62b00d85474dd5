// `holdfast start WORKFLOW --input JSON [--wait]`: an input by hand. With --wait the exit code is
// how it ended: 0 succeeded, 1 failed or timed out, 2 a person is needed, 3 skipped or canceled.
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { findWorkflow, WORKFLOW } from '#main/cli/find/find-workflow.ts';
import { WAITS_FOR_HOST, withHost, type DataOption, type HostCalls } from '#main/cli/host-client.ts';
import { stateOf } from '#main/cli/inputs/inputs.ts';
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

const ASK_AGAIN_MS = 100;

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
    .description('give a workflow an input by hand')
    .argument('<workflow>', WORKFLOW)
    .option('--input <json>', 'what it is given', parseJsonArgument)
    .option('--topic <topic>', 'where it goes, where that is not plain')
    .option('--title <title>', 'what a person sees')
    .option('--key <key>', 'what makes it that input: the same key again is the same input')
    .option('--wait', 'go on until it has ended, or needs a person; the exit code says which')
    .addOption(dataOption())
    .option('--json', 'print it as JSON')
    .action((text: string, options: StartOptions) =>
      withHost(options, async (host) => exitWith(await start(host, text, options))),
    );
}

async function start(host: HostCalls, text: string, options: StartOptions): Promise<number> {
  const { id: workflowId } = await findWorkflow(host, text);
  if (options.wait && !host.isRunning) {
    throw new ApiError({
      type: 'conflict',
      message:
        'No host runs on this folder, so there is nothing to wait for. Nothing was started. Start one with "holdfast serve", or leave out --wait.',
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
      printLine(`The input ${input.id} ${created ? 'is taken in' : 'came in before'}.`);
      if (!host.isRunning) printLine(WAITS_FOR_HOST);
    }
    return 0;
  }
  const ended = await untilEnded(host, input.id);
  if (options.json) printJson({ input: ended, created });
  else {
    const { statusReason } = ended.run;
    printLine(`${stateOf(ended.run)}${statusReason === null ? '' : `: ${statusReason}`}`);
    printLine(`See it with: holdfast show ${input.id}`);
  }
  return EXIT_CODES[ended.run.status] ?? 1;
}

async function untilEnded(host: HostCalls, inputId: string): Promise<InputDetail> {
  for (;;) {
    const input = await host.call('inputs.get', { inputId });
    if (EXIT_CODES[input.run.status] !== undefined) return input;
    await wait(ASK_AGAIN_MS);
  }
}
