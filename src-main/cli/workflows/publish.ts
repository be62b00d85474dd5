// `holdfast publish WORKFLOW TOPIC JSON`: an event by hand.
import { randomUUID } from 'node:crypto';
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { findWorkflow, WORKFLOW } from '#main/cli/find/find-workflow.ts';
import { WAITS_FOR_HOST, withHost, type DataOption } from '#main/cli/host-client.ts';
import { parseJsonArgument } from '#main/cli/options/json-argument.ts';
import { printLine } from '#main/cli/print.ts';
import type { Json } from '#shared/json.ts';

interface PublishOptions extends DataOption {
  readonly id?: string;
  readonly title?: string;
}

const SAID = {
  published: 'is published',
  replaced: 'was pending already; its content is replaced',
  kept: 'was there already, and is taken or done: it stays as it was',
} as const;

export function publishCommand(): Command {
  return new Command('publish')
    .description('publish an event to a topic of a workflow by hand')
    .argument('<workflow>', WORKFLOW)
    .argument('<topic>', 'one of its topics')
    .argument('<json>', 'the payload', parseJsonArgument)
    .option('--id <id>', 'what makes it that event: the same id again is the same event')
    .option('--title <title>', 'what a person sees')
    .addOption(dataOption())
    .action((text: string, topic: string, payload: Json, options: PublishOptions) =>
      withHost(options, async (host) => {
        const { id: workflowId } = await findWorkflow(host, text);
        const messageId = options.id ?? randomUUID();
        const title = options.title ?? options.id ?? 'By hand';
        const { eventId, outcome } = await host.call('events.publish', {
          workflowId,
          topic,
          messageId,
          title,
          payload,
        });
        printLine(`The event ${eventId} ${SAID[outcome]}.`);
        if (!host.isRunning && outcome !== 'kept') printLine(WAITS_FOR_HOST);
      }),
    );
}
