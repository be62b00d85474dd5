// `holdfast doctor`: looks at everything a host needs and says what is wrong and how to mend it.
// It changes nothing.
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import type { Finding } from '#main/cli/host/doctor-checks.ts';
import { chooseDataDir } from '#main/data-folder/data-dir.ts';

const MARKS = { ok: '✓', note: '–', wrong: '✗' } as const;

export function doctorCommand(exitWith: (code: number) => void): Command {
  return new Command('doctor')
    .description('check this machine and the data folder, and say what is wrong')
    .addOption(dataOption())
    .option('--json', 'print the findings as JSON')
    .action(async (options: { data?: string; json?: boolean }) => {
      const findings = await examine(chooseDataDir(options.data));
      process.stdout.write(options.json ? `${JSON.stringify({ findings })}\n` : report(findings));
      exitWith(findings.some(({ state }) => state === 'wrong') ? 1 : 0);
    });
}

async function examine(dataDir: string): Promise<Finding[]> {
  const { CHECKS } = await import('#main/cli/host/doctor-checks.ts');
  return Object.entries(CHECKS).map(([what, check]) => {
    try {
      return { what, ...check(dataDir) };
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return { what, state: 'wrong', says: why };
    }
  });
}

function report(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ what }) => what.length));
  const lines = findings.map(
    ({ what, state, says }) => `${MARKS[state]} ${what.padEnd(width)}  ${says}`,
  );
  const wrong = findings.filter(({ state }) => state === 'wrong').length;
  const verdict =
    wrong === 0
      ? 'Nothing is wrong.'
      : `${wrong} ${wrong === 1 ? 'thing is' : 'things are'} wrong.`;
  return `${lines.join('\n')}\n\n${verdict}\n`;
}
