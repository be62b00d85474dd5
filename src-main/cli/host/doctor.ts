// `holdfast doctor`: checks everything a host needs and reports problems with their fixes. Read-only.
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import type { Finding } from '#main/cli/host/doctor-checks.ts';
import { chooseDataDir } from '#main/data-folder/data-dir.ts';

const MARKS = { ok: '✓', note: '–', wrong: '✗' } as const;

export function doctorCommand(exitWith: (code: number) => void): Command {
  return new Command('doctor')
    .description('Check this machine and the data folder for problems')
    .addOption(dataOption())
    .option('--json', 'Print as JSON')
    .action(async (options: { data?: string; json?: boolean }) => {
      const findings = await runChecks(chooseDataDir(options.data));
      process.stdout.write(options.json ? `${JSON.stringify({ findings })}\n` : format(findings));
      exitWith(findings.some(({ state }) => state === 'wrong') ? 1 : 0);
    });
}

async function runChecks(dataDir: string): Promise<Finding[]> {
  const { CHECKS } = await import('#main/cli/host/doctor-checks.ts');
  const findings: Finding[] = [];
  for (const [what, check] of Object.entries(CHECKS)) {
    try {
      findings.push({ what, ...(await check(dataDir)) });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      findings.push({ what, state: 'wrong', says: why });
    }
  }
  return findings;
}

function format(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ what }) => what.length));
  const lines = findings.map(
    ({ what, state, says }) => `${MARKS[state]} ${what.padEnd(width)}  ${says}`,
  );
  const problems = findings.filter(({ state }) => state === 'wrong').length;
  const summary =
    problems === 0
      ? 'No problems found.'
      : `${problems} ${problems === 1 ? 'problem' : 'problems'} found.`;
  return `${lines.join('\n')}\n\n${summary}\n`;
}
