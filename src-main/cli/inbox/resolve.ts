// `holdfast resolve ID --as …`: a person says what became of an effect that nobody else can know.
import { randomUUID } from 'node:crypto';
import { Command, Option } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { findOpen, OPEN_ID } from '#main/cli/find/find-inbox-item.ts';
import {
  WAITS_FOR_HOST,
  WAITS_FOR_OWNER,
  withHost,
  type DataOption,
  type HostCalls,
} from '#main/cli/host-client.ts';
import { parseJsonArgument } from '#main/cli/options/json-argument.ts';
import { printLine } from '#main/cli/print.ts';
import { ApiError } from '#shared/api/errors.ts';
import type { MutationView } from '#shared/api/handler-runs.ts';
import type { Json } from '#shared/json.ts';

const WAYS = {
  happened: ['user_assert_applied', 'It happened: the run goes on.'],
  'did-not-happen': ['user_assert_failed', 'It did not happen: it is tried anew.'],
  retry: ['user_retry', 'It is asked for, or sent, once more.'],
  skip: ['user_skip', 'It is skipped: its outcome stays unknown, and the workflow goes on.'],
} as const;

interface ResolveOptions extends DataOption {
  readonly as: keyof typeof WAYS;
  readonly result?: Json;
  readonly note?: string;
  readonly yes?: boolean;
}

export function resolveCommand(): Command {
  return new Command('resolve')
    .description('settle an effect whose outcome is unknown')
    .argument('<id>', OPEN_ID)
    .addOption(
      new Option('--as <way>', 'what became of it, or what to do')
        .choices(Object.keys(WAYS))
        .makeOptionMandatory(),
    )
    .option(
      '--result <json>',
      'with "happened": what the workflow gets as result',
      parseJsonArgument,
    )
    .option('--note <text>', 'kept with the decision')
    .option('--yes', 'with "retry": send it again, though it may then happen twice')
    .addOption(dataOption())
    .action((id: string, options: ResolveOptions) =>
      withHost(options, (host) => resolve(host, id, options)),
    );
}

async function resolve(host: HostCalls, text: string, options: ResolveOptions): Promise<void> {
  const { items } = await host.call('inbox.list', {});
  const mutations = items.flatMap((item) =>
    item.type === 'unknown_effect' ? [item.mutation] : [],
  );
  const mutation = findOpen(mutations, ({ id }) => id, text);
  refuseWhatCannotBe(host, mutation, options);
  const [resolution, said] = WAYS[options.as];
  const decision = await host.call('inbox.resolve', {
    requestId: randomUUID(),
    mutationId: mutation?.id ?? text,
    resolution,
    confirmed: options.yes ?? false,
    ...(options.result === undefined ? {} : { result: options.result }),
    ...(options.note === undefined ? {} : { note: options.note }),
  });
  if (decision.status !== 'carried_out' && decision.status !== 'waiting') {
    const why = decision.message ?? 'It could not be carried out.';
    throw new ApiError({
      type: 'conflict',
      message: `${why} Your decision is kept, and changed nothing.`,
    });
  }
  const isElsewhere = host.isRunning && decision.status === 'waiting';
  printLine(isElsewhere ? `Your decision is kept. ${WAITS_FOR_OWNER}` : said);
  if (!host.isRunning) printLine(WAITS_FOR_HOST);
}

function refuseWhatCannotBe(
  host: HostCalls,
  mutation: MutationView | undefined,
  { as, result, yes }: ResolveOptions,
): void {
  if (result !== undefined && as !== 'happened') {
    throw refusal('A result goes with "--as happened" only. Nothing was done.');
  }
  if (as !== 'retry' || !mutation || mutation.canCheck) return;
  if (!yes) {
    throw refusal(
      `The outside cannot be asked whether this happened: ${mutation.title}. Sending it again may make it happen twice. Nothing was done. ${mutation.lookByHand} To send it again all the same, add --yes.`,
    );
  }
  if (!host.isRunning) {
    throw refusal(
      'No host runs on this folder, so nothing can be sent. Nothing was done. Start one with "holdfast serve", then try again.',
    );
  }
}

function refusal(message: string): ApiError {
  return new ApiError({ type: 'conflict', message });
}
