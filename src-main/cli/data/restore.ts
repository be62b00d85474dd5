// `holdfast restore FILE` replaces the database with a backup; `holdfast restored` resumes workflows
// afterwards.
import { resolve } from 'node:path';
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { findWorkflow, WORKFLOW_HELP } from '#main/cli/find/find-workflow.ts';
import { withHost, type DataOption, type HostClient } from '#main/cli/host-client.ts';
import { printJson, printLine, printTable, showTime } from '#main/cli/print.ts';
import { chooseDataDir } from '#main/data-folder/data-dir.ts';
import type { CallOutput } from '#shared/api/contract.ts';
import { ApiError } from '#shared/api/errors.ts';

export function restoreCommand(): Command {
  return new Command('restore')
    .description('Replace the database with a backup; the replaced one is saved')
    .argument('<file>', 'Backup file; see "holdfast backup --list"')
    .addOption(dataOption())
    .action(async (file: string, options: DataOption) => {
      const dir = chooseDataDir(options.data);
      const { restoreBackup } = await import('#main/upkeep/restore.ts');
      const { savedIn, madeAt } = restoreBackup(dir, resolve(file), Date.now());
      const backup = madeAt === null ? 'the backup' : `the backup of ${showTime(madeAt)}`;
      printLine(`Restored ${backup} as the database of ${dir}.`);
      if (savedIn !== null) printLine(`The replaced database is saved in ${savedIn}.`);
      printLine(NEXT_STEPS);
    });
}

const NEXT_STEPS = `
This database has no record of anything after the backup. To prevent repeated effects, the data
folder is now a new device and starts no workflow automatically:
  1. Start Holdfast and pair it with your other devices. They send the changes that they have.
  2. Run "holdfast restored" to see what could happen again and to resume one workflow at a time.`;

export function restoredCommand(): Command {
  return new Command('restored')
    .description('List what could happen again after a restore, and resume a workflow')
    .argument('[workflow]', WORKFLOW_HELP)
    .option('--skip', 'Resume without the work that was pending in the backup')
    .option('--again', 'Resume with the work that was pending in the backup')
    .addOption(dataOption())
    .option('--json', 'Print as JSON')
    .action((text: string | undefined, options: RestoredOptions) =>
      withHost(options, (host) =>
        text === undefined ? list(host, options) : resumeRestored(host, text, options),
      ),
    );
}

interface RestoredOptions extends DataOption {
  readonly skip?: boolean;
  readonly again?: boolean;
  readonly json?: boolean;
}

/** The line with which other commands say that workflows wait for a person. */
export function describeOnHold({ workflows }: CallOutput<'restored.get'>): string | null {
  if (workflows.length === 0) return null;
  const names = workflows.map(({ name }) => name).join(', ');
  return `The data is from a backup or an older copy, so this waits until you decide about its pending work: ${names}. See "holdfast restored".`;
}

async function list(host: HostClient, { json }: RestoredOptions): Promise<void> {
  const restored = await host.call('restored.get', {});
  if (json) return printJson(restored);
  if (restored.madeAt === null)
    return printLine('This database is not from a backup or an older copy.');
  printLine(
    `The data is from ${showTime(restored.madeAt)}: a backup or an older copy was put back.`,
  );
  printTable(
    ['workflow', 'pending events', 'unfinished runs'],
    restored.workflows.map(({ name, waiting, unfinished }) => [
      name,
      String(waiting),
      String(unfinished),
    ]),
    'No workflow is on hold because of the restore.',
  );
}

async function resumeRestored(
  host: HostClient,
  text: string,
  options: RestoredOptions,
): Promise<void> {
  const { id, name } = await findWorkflow(host, text);
  const { workflows } = await host.call('restored.get', {});
  if (!workflows.some((held) => held.id === id)) {
    throw new ApiError({
      type: 'conflict',
      message: `"${name}" is not on hold after a restore. Nothing was changed. To resume a paused workflow, run: holdfast resume ${name}`,
    });
  }
  if (options.skip === options.again) {
    throw new ApiError({
      type: 'invalid_input',
      message: `Work that was pending in "${name}" at the time of the backup may be done by now. Nothing was changed. Check it, then add --skip to resume without that work or --again to do it.`,
    });
  }
  const waiting = options.skip ? 'skip' : 'do';
  const { skipped, openQuestions } = await host.call('restored.goOn', { workflowId: id, waiting });
  printLine(`This device now runs "${name}".${skipped > 0 ? ` Skipped: ${skipped}.` : ''}`);
  if (openQuestions > 0) printLine('Some runs need you: see "holdfast inbox".');
}
