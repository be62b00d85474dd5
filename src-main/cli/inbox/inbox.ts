// `holdfast inbox`: everything that needs a person, each item with its command.
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { loadDeviceLabels, type DeviceLabels } from '#main/cli/find/device-labels.ts';
import { describeWaiting } from '#main/cli/find/waits-for-owner.ts';
import { withHost, type DataOption, type HostClient } from '#main/cli/host-client.ts';
import { indented, oneLine, printJson, printLine, shortId, showTime } from '#main/cli/print.ts';
import type { InboxItem } from '#shared/api/inbox.ts';
import { describeWaitEnd } from '#shared/attention.ts';
import { describeLeftBehind } from '#shared/left-behind.ts';
import { DECISION_WORDS } from '#shared/decision-words.ts';
import { isRestoredReason } from '#shared/restored-reason.ts';
import type { Resolution } from '#shared/machines/mutation.ts';
import { unreachable } from '#shared/rejection.ts';

export function inboxCommand(): Command {
  return new Command('inbox')
    .description('List what needs you, with the command for each item')
    .addOption(dataOption())
    .option('--json', 'Print as JSON')
    .action((options: DataOption & { json?: boolean }) =>
      withHost(options, async (host) => {
        const { items } = await host.call('inbox.list', {});
        if (options.json) return printJson({ items });
        if (items.length === 0) return printLine("You're all caught up.");
        const context = await loadContext(host, items);
        printLine(items.map((item) => describeItem(item, context)).join('\n\n'));
      }),
    );
}

interface Context {
  readonly labelOf: DeviceLabels;
  /** Workflow id to whom its decisions wait for. */
  readonly waiting: ReadonlyMap<string, string>;
}

async function loadContext(host: HostClient, items: readonly InboxItem[]): Promise<Context> {
  const labelOf = await loadDeviceLabels(host);
  const decided = items.flatMap((item) =>
    item.type === 'unknown_effect' && decisionOf(item) ? [item] : [],
  );
  const waiting = new Map<string, string>();
  for (const { workflowId } of decided) {
    const { owner } = await host.call('workflows.get', { workflowId });
    waiting.set(workflowId, describeWaiting(owner, labelOf));
  }
  return { labelOf, waiting };
}

type UnknownEffect = Extract<InboxItem, { type: 'unknown_effect' }>;

function decisionOf({ mutation }: UnknownEffect): Resolution | undefined {
  return mutation.resolutions.find(({ status }) => status === 'waiting')?.resolution;
}

function describeItem(item: InboxItem, context: Context): string {
  const [summary, ...lines] = linesOf(item, context);
  const wait = 'wait' in item ? item.wait : null;
  const details = wait === null ? lines : [...lines, `time    ${describeWaitEnd(wait)}`];
  const head = oneLine(`${showTime(item.at)}  ${item.workflowName}: ${summary ?? ''}`);
  return [head, ...details.map((text) => indented(text, '  '))].join('\n');
}

/** The summary in one line, then details, then the command. */
function linesOf(item: InboxItem, { labelOf, waiting }: Context): string[] {
  switch (item.type) {
    case 'unknown_effect': {
      const { id, title, error, lookByHand, canCheck } = item.mutation;
      const decided = decisionOf(item);
      return [
        `Outcome unknown: ${item.title ?? item.handlerName}`,
        `id      ${shortId(id)}`,
        `effect  ${title}`,
        ...(error === null ? [] : [`error   ${error}`]),
        ...(lookByHand === '' ? [] : [`check   ${lookByHand}`]),
        ...(decided
          ? [`decided ${DECISION_WORDS[decided]}. ${waiting.get(item.workflowId) ?? ''}`]
          : []),
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
        `An event was set aside: ${item.title} (${item.topic})`,
        ...(item.error === null ? [] : [`error   ${item.error}`]),
        `settle  fix the cause, then run: holdfast rerun ${item.eventId}`,
      ];
    case 'stopped':
      return [
        `Paused automatically: ${item.reason}`,
        isRestoredReason(item.reason)
          ? `settle  holdfast restored ${item.workflowName} --skip|--again`
          : `settle  fix the cause, then run: holdfast resume ${item.workflowName}`,
      ];
    case 'left_behind':
      return [
        describeLeftBehind(item.left, 'the active version'),
        'settle  activate a version that has it again, and Holdfast continues there',
        ...(item.left.type === 'events'
          ? [`        or skip them: holdfast skip ${item.workflowName} ${item.left.topic}`]
          : []),
      ];
    case 'refused_row':
      return [
        item.summary,
        ...(item.deviceId === null ? [] : [`from    ${labelOf(item.deviceId)}`]),
        item.advice,
        ...(item.isHeld ? [] : [`settle  holdfast acknowledge ${shortId(item.refusedId)}`]),
      ];
    case 'incident':
      return [
        item.summary,
        ...item.sides.map(
          ({ deviceId, tool, params, status, result }) =>
            `${deviceId === null ? 'afterwards' : labelOf(deviceId)}: ${tool ?? ''} ${tool === null ? '' : JSON.stringify(params)} ${status}${result === null ? '' : `, result ${JSON.stringify(result)}`}`,
        ),
        item.advice,
        `settle  holdfast acknowledge ${shortId(item.incidentId)}`,
      ];
    default:
      return unreachable(item);
  }
}
