// `holdfast answer ID TEXT`
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { findInboxItem, INBOX_ID_HELP } from '#main/cli/find/find-inbox-item.ts';
import { PENDING_UNTIL_HOST_RUNS, withHost, type DataOption } from '#main/cli/host-client.ts';
import { printLine } from '#main/cli/print.ts';

export function answerCommand(): Command {
  return new Command('answer')
    .description('Answer a question from a workflow')
    .argument('<id>', INBOX_ID_HELP)
    .argument('<text>', 'Answer; must be one of the choices if the question has any')
    .addOption(dataOption())
    .action((id: string, answer: string, options: DataOption) =>
      withHost(options, async (host) => {
        const { items } = await host.call('inbox.list', {});
        const questions = items.flatMap((item) => (item.type === 'question' ? [item] : []));
        const question = findInboxItem(questions, ({ mutationId }) => mutationId, id);
        await host.call('inbox.answer', { mutationId: question?.mutationId ?? id, answer });
        printLine('Answered.');
        if (!host.isRunning) printLine(PENDING_UNTIL_HOST_RUNS);
      }),
    );
}
