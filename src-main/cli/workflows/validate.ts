// `holdfast validate FILE`: prints problems as file:line:column for editors and CI. The host of the data
// folder checks the file, because it is the one that will run it; without one, this command does. It
// creates no data folder and sends nothing.
import { basename } from 'node:path';
import { Command } from 'commander';
import { runningHost, withTemporaryHost, type DataOption } from '#main/cli/host-client.ts';
import { dataOption } from '#main/cli/options/data-option.ts';
import { printJson, printLine } from '#main/cli/print.ts';
import { readSource } from '#main/cli/workflows/read-source.ts';
import { chooseDataDir } from '#main/data-folder/data-dir.ts';
import type { CallOutput } from '#shared/api/contract.ts';
import { ApiError } from '#shared/api/errors.ts';

type Findings = Pick<CallOutput<'workflows.validate'>, 'ok' | 'problems' | 'warnings'>;

export function validateCommand(exitWith: (code: number) => void): Command {
  return new Command('validate')
    .description('Validate a workflow file without adding it')
    .argument('<file>', 'A .ts or .js file that exports a workflow')
    .addOption(dataOption())
    .option('--json', 'Print as JSON')
    .action(async (file: string, options: DataOption & { json?: boolean }) => {
      const findings = await validate(file, options).catch(unreadable);
      if (options.json) printJson(findings);
      else printFindings(file, findings);
      exitWith(findings.ok ? 0 : 1);
    });
}

async function validate(file: string, options: DataOption): Promise<Findings> {
  const input = { source: readSource(file), fileName: basename(file) };
  const running = runningHost(options);
  const { ok, problems, warnings } = await (running
    ? running.call('workflows.validate', input)
    : withTemporaryHost(chooseDataDir(options.data), (host) =>
        host.call('workflows.validate', input),
      ));
  return { ok, problems, warnings };
}

function unreadable(error: unknown): Findings {
  if (!(error instanceof ApiError) || error.type !== 'not_found') throw error;
  return { ok: false, problems: [{ message: error.message, line: 1, column: 1 }], warnings: [] };
}

function printFindings(file: string, { ok, problems, warnings }: Findings): void {
  for (const { line, column, message } of problems) {
    printLine(`${file}:${line}:${column}: ${message}`);
  }
  for (const warning of warnings) printLine(`${file}: note: ${warning}`);
  if (ok) printLine(`${file} is valid.`);
}
