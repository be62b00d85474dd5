// `holdfast acknowledge ID`
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { findInboxItem, INBOX_ID_HELP } from '#main/cli/find/find-inbox-item.ts';
import { withHost, type DataOption } from '#main/cli/host-client.ts';
import { printLine } from '#main/cli/print.ts';

export function acknowledgeCommand(): Command {
  return new Command('acknowledge')
    .description('Acknowledge an incident and remove it from the inbox')
    .argument('<id>', INBOX_ID_HELP)
    .option('--note <text>', 'Note to save with the incident')
    .addOption(dataOption())
    .action((text: string, options: DataOption & { note?: string }) =>
      withHost(options, async (host) => {
        const { items } = await host.call('inbox.list', {});
        const open = items.flatMap((item) => (item.type === 'incident' ? [item] : []));
        const incident = findInboxItem(open, ({ incidentId }) => incidentId, text);
        await host.call('incidents.acknowledge', {
          incidentId: incident?.incidentId ?? text,
          ...(options.note === undefined ? {} : { note: options.note }),
        });
        printLine('Acknowledged on all devices.');
      }),
    );
}
