// `holdfast acknowledge ID`
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { findInboxItem, INBOX_ID_HELP } from '#main/cli/find/find-inbox-item.ts';
import { withHost, type DataOption } from '#main/cli/host-client.ts';
import { printLine } from '#main/cli/print.ts';
import type { InboxItem } from '#shared/api/inbox.ts';

export function acknowledgeCommand(): Command {
  return new Command('acknowledge')
    .description('Acknowledge an incident or an unreadable row and remove it from the inbox')
    .argument('<id>', INBOX_ID_HELP)
    .option('--note <text>', 'Note to save with the incident')
    .addOption(dataOption())
    .action((text: string, options: DataOption & { note?: string }) =>
      withHost(options, async (host) => {
        const { items } = await host.call('inbox.list', {});
        const open = items.filter(({ type }) => type === 'incident' || type === 'refused_row');
        const found = findInboxItem(open, idOf, text);
        if (found?.type === 'refused_row') {
          await host.call('inbox.acknowledge', { refusedId: found.refusedId });
          return printLine('Acknowledged on this device.');
        }
        await host.call('incidents.acknowledge', {
          incidentId: found ? idOf(found) : text,
          ...(options.note === undefined ? {} : { note: options.note }),
        });
        printLine('Acknowledged on all devices.');
      }),
    );
}

function idOf(item: InboxItem): string {
  if (item.type === 'incident') return item.incidentId;
  return item.type === 'refused_row' ? item.refusedId : '';
}
