// `holdfast acknowledge ID`: a person has seen what two owners did, and mended what had to be.
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { findOpen } from '#main/cli/find/find-inbox-item.ts';
import { withHost, type DataOption } from '#main/cli/host-client.ts';
import { printLine } from '#main/cli/print.ts';

export function acknowledgeCommand(): Command {
  return new Command('acknowledge')
    .description('take an incident out of the inbox')
    .argument('<id>', 'the beginning of its id, as "holdfast inbox" shows it')
    .option('--note <text>', 'kept with it')
    .addOption(dataOption())
    .action((text: string, options: DataOption & { note?: string }) =>
      withHost(options, async (host) => {
        const { items } = await host.call('inbox.list', {});
        const open = items.flatMap((item) => (item.type === 'incident' ? [item] : []));
        const incident = findOpen(open, ({ incidentId }) => incidentId, text);
        await host.call('incidents.acknowledge', {
          incidentId: incident?.incidentId ?? text,
          ...(options.note === undefined ? {} : { note: options.note }),
        });
        printLine('It is acknowledged, on every device.');
      }),
    );
}
