// `holdfast list`
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { allWorkflows } from '#main/cli/find/find-workflow.ts';
import { loadDeviceLabels } from '#main/cli/find/device-labels.ts';
import { withHost, type DataOption } from '#main/cli/host-client.ts';
import { describeOnHold } from '#main/cli/data/restore.ts';
import { describeWaiting } from '#main/cli/devices/continue.ts';
import { describeWorkflowStatus } from '#main/cli/workflows/describe-workflow-status.ts';
import { printJson, printLine, printTable, shortId, showTime, withCosts } from '#main/cli/print.ts';
import type { WorkflowView } from '#shared/api/contract.ts';

export function listCommand(): Command {
  return new Command('list')
    .description('List workflows with status, next run and pending events')
    .addOption(dataOption())
    .option('--json', 'Print as JSON')
    .action(async (options: DataOption & { json?: boolean }) => {
      const { workflows, labelOf, notes } = await withHost(options, async (host) => ({
        workflows: await allWorkflows(host),
        labelOf: await loadDeviceLabels(host),
        notes: [
          describeWaiting(await host.call('startCheck.get', {})),
          describeOnHold(await host.call('restored.get', {})),
        ],
      }));
      if (options.json) printJson({ workflows });
      else {
        for (const note of notes) if (note !== null) printLine(note);
        const rows = workflows.map((workflow) => [
          shortId(workflow.id),
          workflow.name,
          describeWorkflowStatus(workflow, labelOf),
          showTime(nextRunOf(workflow)),
          describePending(workflow),
        ]);
        const heads = ['id', 'name', 'status', 'next run', 'pending'];
        const costs = workflows.map(({ cost }) => cost.today);
        printTable(
          ...withCosts(heads, rows, 'cost today', costs),
          'No workflows yet. Add one with "holdfast add FILE".',
        );
      }
    });
}

function nextRunOf({ producers }: WorkflowView): number | null {
  const times = producers.flatMap(({ nextRunAt }) => nextRunAt ?? []);
  return times.length === 0 ? null : Math.min(...times);
}

function describePending({ topics, leftBehind }: WorkflowView): string {
  const pending = topics.filter((topic) => topic.pending > 0);
  const waiting = [
    ...pending.map((topic) => `${topic.pending} ${topic.name}`),
    ...leftBehind.flatMap((left) =>
      left.type === 'events' ? [`${left.count} ${left.topic} (not in this version)`] : [],
    ),
  ];
  return waiting.join(', ') || '–';
}
