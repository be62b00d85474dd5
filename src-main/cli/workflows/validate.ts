// `holdfast validate FILE`: all that is wrong with a workflow file, as editors and CI read it. It
// needs no data folder and sends nothing.
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
    .description('check a workflow file without adding it')
    .argument('<file>', 'a .ts or .js file that exports a workflow')
    .option('--json', 'print the findings as JSON')
    .action(async (file: string, options: { json?: boolean }) => {
      const findings = await examine(file);
      if (options.json) printJson(findings);
      else report(file, findings);
      exitWith(findings.ok ? 0 : 1);
    });
}

async function examine(file: string): Promise<Findings> {
  const { loadWorkflowFile } = await import('#main/authoring/load.ts');
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

function report(file: string, { ok, problems, warnings }: Findings): void {
  for (const { line, column, message } of problems) {
    printLine(`${file}:${line}:${column}: ${message}`);
  }
  for (const warning of warnings) printLine(`${file}: note: ${warning}`);
  if (ok) printLine(`${file} is a workflow that can run.`);
}
