// `holdfast owner`, `holdfast handover` and `holdfast takeover`
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { findWorkflow, WORKFLOW_HELP } from '#main/cli/find/find-workflow.ts';
import { PENDING_UNTIL_OWNER_SYNCS, withHost, type DataOption } from '#main/cli/host-client.ts';
import { oneLine, printJson, printLine, showTime } from '#main/cli/print.ts';
import { ApiError } from '#shared/api/errors.ts';
import type { OpenThere, OwnerView } from '#shared/api/ownership.ts';

export function ownerCommand(): Command {
  return new Command('owner')
    .description('Show which device runs a workflow')
    .argument('<workflow>', WORKFLOW_HELP)
    .addOption(dataOption())
    .option('--json', 'Print as JSON')
    .action((text: string, options: DataOption & { json?: boolean }) =>
      withHost(options, async (host) => {
        const { id, name } = await findWorkflow(host, text);
        const ownership = await host.call('ownership.get', { workflowId: id });
        if (options.json) return printJson(ownership);
        printLine(`"${name}": ${describeOwner(ownership.owner)}`);
        for (const { epoch, deviceId, how, claimedAt } of ownership.claims) {
          printLine(`  epoch ${epoch}  ${deviceId}  ${how}  ${showTime(claimedAt)}`);
        }
        for (const run of ownership.open) printLine(`  ${describeOpenRun(run)}`);
      }),
    );
}

export function handoverCommand(): Command {
  return new Command('handover')
    .description('Hand a workflow over to another device')
    .argument('<workflow>', WORKFLOW_HELP)
    .argument('<device>', 'Id of the new owner')
    .addOption(dataOption())
    .action((text: string, toDeviceId: string, options: DataOption) =>
      withHost(options, async (host) => {
        const { id, name } = await findWorkflow(host, text);
        const { owner, waiting } = await host.call('workflows.handover', {
          workflowId: id,
          toDeviceId,
        });
        printLine(waiting ? PENDING_UNTIL_OWNER_SYNCS : `"${name}": ${describeOwner(owner)}`);
      }),
    );
}

export function takeoverCommand(): Command {
  return new Command('takeover')
    .description('Take a workflow over because its owner is gone')
    .argument('<workflow>', WORKFLOW_HELP)
    .option('--yes', 'Confirm the take-over')
    .addOption(dataOption())
    .action((text: string, options: DataOption & { yes?: boolean }) =>
      withHost(options, async (host) => {
        const { id, name } = await findWorkflow(host, text);
        const { owner, open } = await host.call('ownership.get', { workflowId: id });
        if (!options.yes && !owner.isThisDevice) throw needsConfirmation(name, owner, open);
        const taken = await host.call('workflows.takeover', { workflowId: id });
        printLine(`"${name}": ${describeOwner(taken.owner)}`);
        for (const run of taken.open) printLine(`  ${describeOpenRun(run)}`);
        const needsPerson = taken.open.some(({ fate }) => fate === 'unknown' || fate === 'waits');
        if (needsPerson) printLine('Some runs need you: see "holdfast inbox".');
      }),
    );
}

function needsConfirmation(name: string, owner: OwnerView, open: readonly OpenThere[]): ApiError {
  const unfinished =
    open.length === 0
      ? 'This device knows of no unfinished runs there.'
      : `Unfinished there: ${open.map(describeOpenRun).join('; ')}.`;
  return new ApiError({
    type: 'conflict',
    message: `"${name}": ${describeOwner(owner)} Take a workflow over only when that device is gone. If it still runs the workflow, both devices may send the same effect. Effects in flight there become outcomes for you to settle. ${unfinished} Nothing was changed. If that device is reachable, run "holdfast handover" on it. To take over anyway, add --yes.`,
  });
}

function describeOwner({ state, deviceId, isThisDevice, epoch, toDeviceId }: OwnerView): string {
  const owner = isThisDevice ? 'this device' : `the device ${deviceId}`;
  switch (state) {
    case 'owned':
      return `run by ${owner}, in epoch ${epoch}.`;
    case 'handing_over':
      return `run by ${owner}; handed over to ${toDeviceId} when its current runs end.`;
    case 'released':
      return `handed over by ${owner}, waiting for ${toDeviceId}; no device runs it.`;
    case 'nobody':
      return 'no known device runs it.';
  }
}

const FATES: Readonly<Record<OpenThere['fate'], string>> = {
  starts_over: 'sent nothing, starts over',
  unknown: 'outcome unknown, needs you',
  goes_on: 'effect applied, continues',
  waits: 'needs you',
};

function describeOpenRun({ title, handlerName, fate, mutation }: OpenThere): string {
  const effect = mutation === null || mutation.title === '' ? '' : ` (${mutation.title})`;
  return oneLine(`${title ?? handlerName}${effect}: ${FATES[fate]}`);
}
