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
import type { MutationView } from '#shared/api/handler-runs.ts';
import type { Json } from '#shared/json.ts';

/** Each choice with its resolution and the line to print. */
const CHOICES = {
  happened: ['user_assert_applied', 'Settled: it went through. The run continues.'],
  'did-not-happen': ['user_assert_failed', "Settled: it didn't go through. A new run sends it."],
  retry: ['user_retry', 'Holdfast checks it or sends it again.'],
  skip: ['user_skip', 'Skipped. The outcome stays unknown and the workflow continues.'],
} as const;

/** The lines for a paused workflow, of which only a check goes on. */
const WHILE_PAUSED: { readonly [choice in keyof typeof CHOICES]: string } = {
  happened:
    'Settled: it went through. The workflow is paused; the run continues when you resume it.',
  'did-not-happen':
    "Settled: it didn't go through. The workflow is paused; a new run sends it when you resume it.",
  retry:
    'Holdfast checks it if it can. The workflow is paused; nothing is sent again until you resume it.',
  skip: 'Skipped. The outcome stays unknown. The workflow is paused and continues when you resume it.',
};

interface ResolveOptions extends DataOption {
  readonly as: keyof typeof CHOICES;
  readonly result?: Json;
  readonly note?: string;
  readonly yes?: boolean;
}

export function resolveCommand(): Command {
  return new Command('resolve')
    .description('Settle an effect whose outcome is unknown')
    .argument('<id>', INBOX_ID_HELP)
    .addOption(
      new Option('--as <decision>', 'Decision').choices(Object.keys(CHOICES)).makeOptionMandatory(),
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
  const [resolution, settled] = CHOICES[options.as];
  const workflow = item && (await host.call('workflows.get', { workflowId: item.workflowId }));
  const confirmation = workflow?.status === 'paused' ? WHILE_PAUSED[options.as] : settled;
  const decision = await host.call('inbox.resolve', {
    requestId: randomUUID(),
    mutationId: mutation?.id ?? text,
    resolution,
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
