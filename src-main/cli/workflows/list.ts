// `holdfast list`
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { allWorkflows } from '#main/cli/find/find-workflow.ts';
import { loadDeviceLabels, type DeviceLabels } from '#main/cli/find/device-labels.ts';
import { withHost, type DataOption } from '#main/cli/host-client.ts';
import { printJson, printTable, shortId, showTime } from '#main/cli/print.ts';
import type { WorkflowView } from '#shared/api/contract.ts';
import type { OwnerView } from '#shared/api/ownership.ts';

export function listCommand(): Command {
  return new Command('list')
    .description('List workflows with status, next run and pending events')
    .addOption(dataOption())
    .option('--json', 'Print as JSON')
    .action(async (options: DataOption & { json?: boolean }) => {
      const { workflows, labelOf } = await withHost(options, async (host) => ({
        workflows: await allWorkflows(host),
        labelOf: await loadDeviceLabels(host),
      }));
      if (options.json) printJson({ workflows });
      else {
        printTable(
          ['id', 'name', 'status', 'next run', 'pending'],
          workflows.map((workflow) => [
            shortId(workflow.id),
            workflow.name,
            describeStatus(workflow, labelOf),
            showTime(nextRunOf(workflow)),
            describePending(workflow),
          ]),
          'No workflows yet. Add one with "holdfast add FILE".',
        );
      }
    });
}

function describeStatus(workflow: WorkflowView, labelOf: DeviceLabels): string {
  const { status, statusReason, isBusy, openQuestions, draftScriptId, owner } = workflow;
  const draft = draftScriptId === null ? '' : ', has a draft';
  if (status === 'paused') {
    const why = statusReason ? `: ${statusReason}` : '';
    return `${isBusy ? 'pausing' : 'paused'}${why}${draft}`;
  }
  if (openQuestions > 0) return `needs you (holdfast inbox)${draft}`;
  if (owner.state !== 'owned' || !owner.isThisDevice) {
    return `${describeOwner(owner, labelOf)}${draft}`;
  }
  return `${isBusy ? 'running' : 'active'}${draft}`;
}

/** Of a workflow that this device doesn't run: it is not active here. */
function describeOwner({ state, deviceId, toDeviceId }: OwnerView, labelOf: DeviceLabels): string {
  switch (state) {
    case 'owned':
      return `run by ${labelOf(deviceId)}`;
    case 'handing_over':
      return `run by ${labelOf(deviceId)}, handing over to ${labelOf(toDeviceId)}`;
    case 'released':
      return `run by no device: waits for ${labelOf(toDeviceId)}`;
    case 'nobody':
      return 'run by no known device';
  }
}

function nextRunOf({ producers }: WorkflowView): number | null {
  const times = producers.flatMap(({ nextRunAt }) => nextRunAt ?? []);
  return times.length === 0 ? null : Math.min(...times);
}

function describePending({ topics }: WorkflowView): string {
  const pending = topics.filter((topic) => topic.pending > 0);
  return pending.map((topic) => `${topic.pending} ${topic.name}`).join(', ') || '–';
}
