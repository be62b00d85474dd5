// `holdfast answer ID TEXT`: the answer to a question that a workflow asked.
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { findOpen, OPEN_ID } from '#main/cli/find/find-inbox-item.ts';
import { WAITS_FOR_HOST, withHost, type DataOption } from '#main/cli/host-client.ts';
import { printLine } from '#main/cli/print.ts';

export function answerCommand(): Command {
  return new Command('answer')
    .description('answer a question that a workflow asked')
    .argument('<id>', OPEN_ID)
    .argument('<text>', 'the answer; one of the choices, where there are any')
    .addOption(dataOption())
    .action((id: string, answer: string, options: DataOption) =>
      withHost(options, async (host) => {
        const { items } = await host.call('inbox.list', {});
        const questions = items.flatMap((item) => (item.type === 'question' ? [item] : []));
        const question = findOpen(questions, ({ mutationId }) => mutationId, id);
        await host.call('inbox.answer', { mutationId: question?.mutationId ?? id, answer });
        printLine('Answered.');
        if (!host.isRunning) printLine(WAITS_FOR_HOST);
      }),
    );
}
