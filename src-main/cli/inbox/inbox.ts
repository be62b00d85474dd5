// `holdfast inbox`: what only a person can settle, each with the command that settles it.
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { WAITS_FOR_OWNER, withHost, type DataOption } from '#main/cli/host-client.ts';
import { indented, oneLine, printJson, printLine, shortId, showTime } from '#main/cli/print.ts';
import type { InboxItem } from '#shared/api/inbox.ts';
import { unreachable } from '#shared/rejection.ts';

export function inboxCommand(): Command {
  return new Command('inbox')
    .description('show what waits for you')
    .addOption(dataOption())
    .option('--json', 'print it as JSON')
    .action(async (options: DataOption & { json?: boolean }) => {
      const { items } = await withHost(options, (host) => host.call('inbox.list', {}));
      if (options.json) printJson({ items });
      else if (items.length === 0) printLine('Nothing waits for you.');
      else printLine(items.map(describeItem).join('\n\n'));
    });
}

function describeItem(item: InboxItem): string {
  const [what, ...more] = wordsFor(item);
  const head = oneLine(`${showTime(item.at)}  ${item.workflowName}: ${what ?? ''}`);
  return [head, ...more.map((text) => indented(text, '  '))].join('\n');
}

/** First what it is in one line, then what is known, then what to do. */
function wordsFor(item: InboxItem): string[] {
  switch (item.type) {
    case 'unknown_effect': {
      const { id, title, error, lookByHand, canCheck, resolutions } = item.mutation;
      const decided = resolutions.find(({ status }) => status === 'waiting');
      return [
        `It is not known whether this happened: ${item.title ?? item.handlerName}`,
        `id      ${shortId(id)}`,
        `effect  ${title}`,
        ...(error === null ? [] : [`why     ${error}`]),
        ...(lookByHand === '' ? [] : [`look    ${lookByHand}`]),
        ...(decided ? [`decided ${decided.resolution}. ${WAITS_FOR_OWNER}`] : []),
        `settle  holdfast resolve ${shortId(id)} --as happened|did-not-happen|retry|skip`,
        `        retry ${canCheck ? 'asks the outside once more' : 'sends it again: it may then happen twice'}`,
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
        `settle  mend the file, add and activate it, then: holdfast rerun ${item.eventId}`,
      ];
    case 'stopped':
      return [
        `It stopped itself: ${item.reason}`,
        `settle  when mended: holdfast resume ${item.workflowName}`,
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
