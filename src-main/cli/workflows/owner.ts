// `holdfast owner`, `holdfast handover` and `holdfast takeover`
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { findWorkflow, WORKFLOW_HELP } from '#main/cli/find/find-workflow.ts';
import { DEVICE_HELP, loadDeviceLabels, type DeviceLabels } from '#main/cli/find/device-labels.ts';
import { describeWaiting } from '#main/cli/find/waits-for-owner.ts';
import { withHost, type DataOption } from '#main/cli/host-client.ts';
import { oneLine, printJson, printLine, showTime } from '#main/cli/print.ts';
import { ApiError } from '#shared/api/errors.ts';
import type { OpenThere, OwnerView } from '#shared/api/ownership.ts';
import type { ClaimWay } from '#shared/ownership.ts';

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
        const labelOf = await loadDeviceLabels(host);
        printLine(`"${name}": ${describeOwner(ownership.owner, labelOf)}`);
        for (const { epoch, deviceId, how, claimedAt } of ownership.claims) {
          printLine(
            `  epoch ${epoch}  ${labelOf(deviceId)} ${CLAIMS[how]}  ${showTime(claimedAt)}`,
          );
        }
        for (const run of ownership.open) printLine(`  ${describeOpenRun(run)}`);
      }),
    );
}

export function handoverCommand(): Command {
  return new Command('handover')
    .description('Hand a workflow over to another device')
    .argument('<workflow>', WORKFLOW_HELP)
    .argument('<device>', DEVICE_HELP)
    .addOption(dataOption())
    .action((text: string, toDeviceId: string, options: DataOption) =>
      withHost(options, async (host) => {
        const { id, name } = await findWorkflow(host, text);
        const { owner, waiting } = await host.call('workflows.handover', {
          workflowId: id,
          toDeviceId,
        });
        const labelOf = await loadDeviceLabels(host);
        printLine(
          waiting ? describeWaiting(owner, labelOf) : `"${name}": ${describeOwner(owner, labelOf)}`,
        );
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
        const labelOf = await loadDeviceLabels(host);
        if (!options.yes && !owner.isThisDevice) {
          throw needsConfirmation(name, describeOwner(owner, labelOf), open);
        }
        const taken = await host.call('workflows.takeover', { workflowId: id });
        printLine(`"${name}": ${describeOwner(taken.owner, labelOf)}`);
        for (const run of taken.open) printLine(`  ${describeOpenRun(run)}`);
        const needsPerson = taken.open.some(({ fate }) => fate === 'unknown' || fate === 'waits');
        if (needsPerson) printLine('Some runs need you: see "holdfast inbox".');
      }),
    );
}

function needsConfirmation(name: string, owner: string, open: readonly OpenThere[]): ApiError {
  const unfinished =
    open.length === 0
      ? 'This device knows of no unfinished runs there.'
      : `Unfinished there: ${open.map(describeOpenRun).join('; ')}.`;
  return new ApiError({
    type: 'conflict',
    message: `"${name}": ${owner} Take a workflow over only when that device is gone. If it still runs the workflow, both devices may send the same effect. Effects in flight there become outcomes for you to settle. ${unfinished} Nothing was changed. If that device is reachable, run "holdfast handover" on it. To take over anyway, add --yes.`,
  });
}

const CLAIMS: Readonly<Record<ClaimWay, string>> = {
  added: 'added it',
  handover: 'received it',
  takeover: 'took it over',
};

function describeOwner(
  { state, deviceId, epoch, toDeviceId }: OwnerView,
  labelOf: DeviceLabels,
): string {
  const owner = labelOf(deviceId);
  switch (state) {
    case 'owned':
      return `run by ${owner}, in epoch ${epoch}.`;
    case 'handing_over':
      return `run by ${owner}; handed over to ${labelOf(toDeviceId)} when its current runs end.`;
    case 'released':
      return `handed over by ${owner}, waiting for ${labelOf(toDeviceId)}; no device runs it.`;
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
