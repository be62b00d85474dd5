// `holdfast validate FILE`: prints problems as file:line:column for editors and CI. Needs no data
// folder and sends nothing.
import { Command } from 'commander';
import type { Problem } from '#main/sandbox/strip-types.ts';
import { printJson, printLine } from '#main/cli/print.ts';

interface Findings {
  readonly ok: boolean;
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
}

export function validateCommand(exitWith: (code: number) => void): Command {
  return new Command('validate')
    .description('Validate a workflow file without adding it')
    .argument('<file>', 'A .ts or .js file that exports a workflow')
    .option('--json', 'Print as JSON')
    .action(async (file: string, options: { json?: boolean }) => {
      const findings = await validate(file);
      if (options.json) printJson(findings);
      else printFindings(file, findings);
      exitWith(findings.ok ? 0 : 1);
    });
}

async function validate(file: string): Promise<Findings> {
  const { loadWorkflowFile } = await import('#main/authoring/load-workflow-file.ts');
  const { createSandbox } = await import('#main/sandbox/pool.ts');
  const sandbox = createSandbox({ workers: 1 });
  try {
    const check = await loadWorkflowFile(file, sandbox);
    return check.ok
      ? { ok: true, problems: [], warnings: check.workflow.warnings }
      : { ok: false, problems: check.problems, warnings: [] };
  } finally {
    await sandbox.close();
  }
}

function printFindings(file: string, { ok, problems, warnings }: Findings): void {
  for (const { line, column, message } of problems) {
    printLine(`${file}:${line}:${column}: ${message}`);
  }
  for (const warning of warnings) printLine(`${file}: note: ${warning}`);
  if (ok) printLine(`${file} is valid.`);
}
