// `holdfast inbox`: everything that needs a person, each item with its command.
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { PENDING_UNTIL_OWNER_SYNCS, withHost, type DataOption } from '#main/cli/host-client.ts';
import { indented, oneLine, printJson, printLine, shortId, showTime } from '#main/cli/print.ts';
import type { InboxItem } from '#shared/api/inbox.ts';
import { describeLeftBehind } from '#shared/left-behind.ts';
import { unreachable } from '#shared/rejection.ts';

export function inboxCommand(): Command {
  return new Command('inbox')
    .description('List what needs you, with the command for each item')
    .addOption(dataOption())
    .option('--json', 'Print as JSON')
    .action(async (options: DataOption & { json?: boolean }) => {
      const { items } = await withHost(options, (host) => host.call('inbox.list', {}));
      if (options.json) printJson({ items });
      else if (items.length === 0) printLine("You're all caught up.");
      else printLine(items.map(describeItem).join('\n\n'));
    });
}

function describeItem(item: InboxItem): string {
  const [summary, ...details] = linesOf(item);
  const head = oneLine(`${showTime(item.at)}  ${item.workflowName}: ${summary ?? ''}`);
  return [head, ...details.map((text) => indented(text, '  '))].join('\n');
}

/** The summary in one line, then details, then the command. */
function linesOf(item: InboxItem): string[] {
  switch (item.type) {
    case 'unknown_effect': {
      const { id, title, error, lookByHand, canCheck, resolutions } = item.mutation;
      const decided = resolutions.find(({ status }) => status === 'waiting');
      return [
        `Outcome unknown: ${item.title ?? item.handlerName}`,
        `id      ${shortId(id)}`,
        `effect  ${title}`,
        ...(error === null ? [] : [`error   ${error}`]),
        ...(lookByHand === '' ? [] : [`check   ${lookByHand}`]),
        ...(decided ? [`decided ${decided.resolution}. ${PENDING_UNTIL_OWNER_SYNCS}`] : []),
        `settle  holdfast resolve ${shortId(id)} --as happened|did-not-happen|retry|skip`,
        `        retry ${canCheck ? 'checks it again' : 'sends it again, so it may happen twice'}`,
      ];
    }
    case 'question': {
      const choices = item.choices.map((choice) => `"${choice}"`).join(' or ');
      return [
        item.question,
        ...(item.details === null ? [] : [item.details]),
        `answer  holdfast answer ${shortId(item.mutationId)} ${choices || '"…"'}`,
      ];
    }
    case 'approval':
      return [
        item.error,
        `settle  holdfast grant ${item.workflowName} TOOL JSON, or holdfast secret set NAME,`,
        `        then holdfast resume ${item.workflowName}`,
      ];
    case 'set_aside':
      return [
        `An event failed too often and was set aside: ${item.title} (${item.topic})`,
        `settle  fix the file, add and activate it, then run: holdfast rerun ${item.eventId}`,
      ];
    case 'stopped':
      return [
        `Paused automatically: ${item.reason}`,
        `settle  fix the cause, then run: holdfast resume ${item.workflowName}`,
      ];
    case 'left_behind':
      return [
        describeLeftBehind(item.left, 'the active version'),
        'settle  activate a version that has it again, and Holdfast continues there',
        ...(item.left.type === 'events'
          ? [`        or skip them: holdfast skip ${item.workflowName} ${item.left.topic}`]
          : []),
      ];
    case 'incident':
      return [
        item.summary,
        ...item.sides.map(
          ({ deviceId, tool, params, status, result }) =>
            `${deviceId ?? 'afterwards'}: ${tool ?? ''} ${tool === null ? '' : JSON.stringify(params)} ${status}${result === null ? '' : `, result ${JSON.stringify(result)}`}`,
        ),
        item.advice,
        `settle  holdfast acknowledge ${shortId(item.incidentId)}`,
      ];
    default:
      return unreachable(item);
  }
}
