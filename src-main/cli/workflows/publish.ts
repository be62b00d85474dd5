// `holdfast publish WORKFLOW TOPIC JSON`
import { randomUUID } from 'node:crypto';
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { findWorkflow, WORKFLOW_HELP } from '#main/cli/find/find-workflow.ts';
import { PENDING_UNTIL_HOST_RUNS, withHost, type DataOption } from '#main/cli/host-client.ts';
import { parseJsonArgument } from '#main/cli/options/json-argument.ts';
import { printLine } from '#main/cli/print.ts';
import type { Json } from '#shared/json.ts';

interface PublishOptions extends DataOption {
  readonly id?: string;
  readonly title?: string;
}

const RESULTS = {
  published: (eventId: string) => `Published event ${eventId}.`,
  replaced: (eventId: string) => `Event ${eventId} was still pending. Its payload was replaced.`,
  kept: (eventId: string) =>
    `Event ${eventId} is already being processed or done. Nothing was changed.`,
} as const;

export function publishCommand(): Command {
  return new Command('publish')
    .description('Publish an event to a topic of a workflow')
    .argument('<workflow>', WORKFLOW_HELP)
    .argument('<topic>', 'Topic of the workflow')
    .argument('<json>', 'Payload of the event', parseJsonArgument)
    .option('--id <id>', 'Message id: the same id publishes the event only once')
    .option('--title <title>', 'Title of the event')
    .addOption(dataOption())
    .action((text: string, topic: string, payload: Json, options: PublishOptions) =>
      withHost(options, async (host) => {
        const { id: workflowId } = await findWorkflow(host, text);
        const messageId = options.id ?? randomUUID();
        const title = options.title ?? options.id ?? 'Manual';
        const { eventId, outcome } = await host.call('events.publish', {
          workflowId,
          topic,
          messageId,
          title,
          payload,
        });
        printLine(RESULTS[outcome](eventId));
        if (!host.isRunning && outcome !== 'kept') printLine(PENDING_UNTIL_HOST_RUNS);
      }),
    );
}
