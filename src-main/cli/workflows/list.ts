// `holdfast list`: the workflows, how each one is, and what comes next.
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { allWorkflows } from '#main/cli/find/find-workflow.ts';
import { withHost, type DataOption } from '#main/cli/host-client.ts';
import { printJson, printTable, shortId, showTime } from '#main/cli/print.ts';
import type { WorkflowView } from '#shared/api/contract.ts';

export function listCommand(): Command {
  return new Command('list')
    .description('show the workflows: state, next run, what is pending')
    .addOption(dataOption())
    .option('--json', 'print them as JSON')
    .action(async (options: DataOption & { json?: boolean }) => {
      const workflows = await withHost(options, allWorkflows);
      if (options.json) printJson({ workflows });
      else {
        printTable(
          ['id', 'name', 'state', 'next run', 'pending'],
          workflows.map((workflow) => [
            shortId(workflow.id),
            workflow.name,
            stateOf(workflow),
            showTime(nextRunOf(workflow)),
            pendingOf(workflow),
          ]),
          'There are no workflows yet. Add one with "holdfast add FILE".',
        );
      }
    });
}

function stateOf({
  status,
  statusReason,
  isBusy,
  openQuestions,
  draftScriptId,
}: WorkflowView): string {
  const draft = draftScriptId === null ? '' : ', has a draft';
  if (status === 'paused') {
    const why = statusReason ? `: ${statusReason}` : '';
    return `${isBusy ? 'pausing' : 'paused'}${why}${draft}`;
  }
  if (openQuestions > 0) return `waits for you (holdfast inbox)${draft}`;
  return `${isBusy ? 'running' : 'active'}${draft}`;
}

function nextRunOf({ producers }: WorkflowView): number | null {
  const times = producers.flatMap(({ nextRunAt }) => nextRunAt ?? []);
  return times.length === 0 ? null : Math.min(...times);
}

function pendingOf({ topics }: WorkflowView): string {
  const pending = topics.filter((topic) => topic.pending > 0);
  return pending.map((topic) => `${topic.pending} ${topic.name}`).join(', ') || '–';
}
