// `holdfast resolve ID --as …`: a person settles an unknown outcome.
import { randomUUID } from 'node:crypto';
import { Command, Option } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { findInboxItem, INBOX_ID_HELP } from '#main/cli/find/find-inbox-item.ts';
import { waitsForOwner } from '#main/cli/find/waits-for-owner.ts';
import {
  PENDING_UNTIL_HOST_RUNS,
  withHost,
  type DataOption,
  type HostClient,
} from '#main/cli/host-client.ts';
import { parseJsonArgument } from '#main/cli/options/json-argument.ts';
import { printLine } from '#main/cli/print.ts';
import { ApiError } from '#shared/api/errors.ts';
import type { WorkflowView } from '#shared/api/contract.ts';
import type { MutationView } from '#shared/api/handler-runs.ts';
import type { Json } from '#shared/json.ts';

const RESOLUTIONS = {
  happened: 'user_assert_applied',
  'did-not-happen': 'user_assert_failed',
  retry: 'user_retry',
  skip: 'user_skip',
} as const;

/** The line to print for each choice. */
type Lines = { readonly [choice in keyof typeof RESOLUTIONS]: string };

const LINES: Lines = {
  happened: 'Settled: it went through. The run continues.',
  'did-not-happen': "Settled: it didn't go through. A new run sends it.",
  retry: 'Holdfast checks it or sends it again.',
  skip: 'Skipped. The outcome stays unknown and the workflow continues.',
};

/** The lines for a paused workflow, which only checks. */
const WHILE_PAUSED: Lines = {
  happened:
    'Settled: it went through. The workflow is paused; the run continues when you resume it.',
  'did-not-happen':
    "Settled: it didn't go through. The workflow is paused; a new run sends it when you resume it.",
  retry:
    'Holdfast checks it if it can. The workflow is paused; nothing is sent again until you resume it.',
  skip: 'Skipped. The outcome stays unknown. The workflow is paused and continues when you resume it.',
};

/** The lines for a run whose consumer the active version lacks. */
const WITHOUT_CONSUMER: Lines = {
  happened:
    'Settled: it went through. The run continues when you activate a version that has its consumer.',
  'did-not-happen':
    "Settled: it didn't go through. A new run sends it when you activate a version that has its consumer.",
  retry: LINES.retry,
  skip: LINES.skip,
};

interface ResolveOptions extends DataOption {
  readonly as: keyof Lines;
  readonly result?: Json;
  readonly note?: string;
  readonly yes?: boolean;
}

export function resolveCommand(): Command {
  return new Command('resolve')
    .description('Settle an effect whose outcome is unknown')
    .argument('<id>', INBOX_ID_HELP)
    .addOption(
      new Option('--as <decision>', 'Decision')
        .choices(Object.keys(RESOLUTIONS))
        .makeOptionMandatory(),
    )
    .option('--result <json>', 'With "happened": result for the workflow', parseJsonArgument)
    .option('--note <text>', 'Note to save with the decision')
    .option('--yes', 'With "retry": send it again even though it may happen twice')
    .addOption(dataOption())
    .action((id: string, options: ResolveOptions) =>
      withHost(options, (host) => resolve(host, id, options)),
    );
}

async function resolve(host: HostClient, text: string, options: ResolveOptions): Promise<void> {
  const { items } = await host.call('inbox.list', {});
  const unknown = items.filter((item) => item.type === 'unknown_effect');
  const item = findInboxItem(unknown, ({ mutation: { id } }) => id, text);
  const mutation = item?.mutation;
  assertAllowed(host, mutation, options);
  const workflow = item && (await host.call('workflows.get', { workflowId: item.workflowId }));
  const confirmation = linesFor(workflow, item?.handlerName)[options.as];
  const decision = await host.call('inbox.resolve', {
    requestId: randomUUID(),
    mutationId: mutation?.id ?? text,
    resolution: RESOLUTIONS[options.as],
    confirmed: options.yes ?? false,
    ...(options.result === undefined ? {} : { result: options.result }),
    ...(options.note === undefined ? {} : { note: options.note }),
  });
  if (decision.status !== 'done' && decision.status !== 'waiting') {
    const why = decision.message ?? 'The decision could not be carried out.';
    throw new ApiError({
      type: 'conflict',
      message: `${why} Your decision is saved and had no effect.`,
    });
  }
  const isElsewhere = host.isRunning && decision.status === 'waiting' && item !== undefined;
  printLine(
    isElsewhere
      ? `Your decision is saved. ${await waitsForOwner(host, item.workflowId)}`
      : confirmation,
  );
  if (!host.isRunning) printLine(PENDING_UNTIL_HOST_RUNS);
}

function linesFor(workflow: WorkflowView | undefined, handler: string | undefined): Lines {
  const lacksConsumer = workflow?.leftBehind.some(
    (left) => left.type === 'runs' && left.handler === handler,
  );
  if (lacksConsumer) return WITHOUT_CONSUMER;
  return workflow?.status === 'paused' ? WHILE_PAUSED : LINES;
}

function assertAllowed(
  host: HostClient,
  mutation: MutationView | undefined,
  { as, result, yes }: ResolveOptions,
): void {
  if (result !== undefined && as !== 'happened') {
    throw refusal('--result needs "--as happened". Nothing was changed.');
  }
  if (as !== 'retry' || !mutation || mutation.canCheck) return;
  if (!yes) {
    throw refusal(
      `There is no automatic check for this effect: ${mutation.title}. Sending it again may make it happen twice. Nothing was sent. ${mutation.lookByHand} To send it again anyway, add --yes.`,
    );
  }
  if (!host.isRunning) {
    throw refusal(
      'No host is running on this data folder, so nothing can be sent. Nothing was changed. Start one with "holdfast serve", then try again.',
    );
  }
}

function refusal(message: string): ApiError {
  return new ApiError({ type: 'conflict', message });
}
