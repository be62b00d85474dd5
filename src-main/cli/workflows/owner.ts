// `holdfast owner`, `holdfast handover` and `holdfast takeover`: which device runs a workflow.
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { findWorkflow, WORKFLOW } from '#main/cli/find/find-workflow.ts';
import { WAITS_FOR_OWNER, withHost, type DataOption } from '#main/cli/host-client.ts';
import { oneLine, printJson, printLine, showTime } from '#main/cli/print.ts';
import { ApiError } from '#shared/api/errors.ts';
import type { OpenThere, OwnerView } from '#shared/api/ownership.ts';

export function ownerCommand(): Command {
  return new Command('owner')
    .description('show which device runs a workflow')
    .argument('<workflow>', WORKFLOW)
    .addOption(dataOption())
    .option('--json', 'print it as JSON')
    .action((text: string, options: DataOption & { json?: boolean }) =>
      withHost(options, async (host) => {
        const { id, name } = await findWorkflow(host, text);
        const known = await host.call('ownership.get', { workflowId: id });
        if (options.json) return printJson(known);
        printLine(`"${name}": ${ownerWords(known.owner)}`);
        for (const { epoch, deviceId, how, claimedAt } of known.claims) {
          printLine(`  epoch ${epoch}  ${deviceId}  ${how}  ${showTime(claimedAt)}`);
        }
        for (const open of known.open) printLine(`  ${openWords(open)}`);
      }),
    );
}

export function handoverCommand(): Command {
  return new Command('handover')
    .description('let another device run a workflow from now on')
    .argument('<workflow>', WORKFLOW)
    .argument('<device>', 'the id of the device that shall run it')
    .addOption(dataOption())
    .action((text: string, toDeviceId: string, options: DataOption) =>
      withHost(options, async (host) => {
        const { id, name } = await findWorkflow(host, text);
        const { owner, waiting } = await host.call('workflows.handover', {
          workflowId: id,
          toDeviceId,
        });
        printLine(waiting ? WAITS_FOR_OWNER : `"${name}": ${ownerWords(owner)}`);
      }),
    );
}

export function takeoverCommand(): Command {
  return new Command('takeover')
    .description('run a workflow on this device, because the one that ran it is gone')
    .argument('<workflow>', WORKFLOW)
    .option('--yes', 'do it')
    .addOption(dataOption())
    .action((text: string, options: DataOption & { yes?: boolean }) =>
      withHost(options, async (host) => {
        const { id, name } = await findWorkflow(host, text);
        const { owner, open } = await host.call('ownership.get', { workflowId: id });
        if (!options.yes && !owner.isThisDevice) throw mustBeMeant(name, owner, open);
        const taken = await host.call('workflows.takeover', { workflowId: id });
        printLine(`"${name}": ${ownerWords(taken.owner)}`);
        for (const left of taken.open) printLine(`  ${openWords(left)}`);
        const isAsked = taken.open.some(({ fate }) => fate === 'unknown' || fate === 'waits');
        if (isAsked) printLine('Some of it waits for you: see "holdfast inbox".');
      }),
    );
}

function mustBeMeant(name: string, owner: OwnerView, open: readonly OpenThere[]): ApiError {
  const inFlight =
    open.length === 0
      ? 'As far as is known here, nothing was under way there.'
      : `Under way there: ${open.map(openWords).join('; ')}.`;
  return new ApiError({
    type: 'conflict',
    message: `"${name}": ${ownerWords(owner)} Taking it over is for when that device is gone: if it still runs the workflow and cannot be reached, both may act, and the same effect may happen twice. What it had in flight becomes a question for you. ${inFlight} Nothing was done. If it can be reached, use "holdfast handover" there. To take it over all the same, add --yes.`,
  });
}

function ownerWords({ state, deviceId, isThisDevice, epoch, toDeviceId }: OwnerView): string {
  const who = isThisDevice ? 'this device' : `the device ${deviceId}`;
  switch (state) {
    case 'owned':
      return `run by ${who}, in epoch ${epoch}.`;
    case 'handing_over':
      return `run by ${who}; being handed over to ${toDeviceId}, when what is at work has come to its end.`;
    case 'released':
      return `handed over by ${who}, waiting for ${toDeviceId}; nobody runs it.`;
    case 'nobody':
      return 'run by nobody that is known here.';
  }
}

const FATES: Readonly<Record<OpenThere['fate'], string>> = {
  starts_over: 'had sent nothing, starts over',
  unknown: 'may have acted, becomes a question',
  goes_on: 'had acted, is brought to its end',
  waits: 'waits for a person',
};

function openWords({ title, handlerName, fate, mutation }: OpenThere): string {
  const effect = mutation === null || mutation.title === '' ? '' : ` (${mutation.title})`;
  return oneLine(`${title ?? handlerName}${effect}: ${FATES[fate]}`);
}
