// The `holdfast` command. Each subcommand is a file of its own; this one only names them.
import { Command, CommanderError } from 'commander';
import { acknowledgeCommand } from '#main/cli/inbox/acknowledge.ts';
import { activateCommand } from '#main/cli/workflows/activate.ts';
import { addCommand } from '#main/cli/workflows/add.ts';
import { answerCommand } from '#main/cli/inbox/answer.ts';
import { backupCommand } from '#main/cli/data/backup.ts';
import { callCommand } from '#main/cli/host/call.ts';
import { devicesCommand, reachCommand, renameCommand, unpairCommand } from '#main/cli/devices/devices.ts';
import { doctorCommand } from '#main/cli/host/doctor.ts';
import { exportCommand, importCommand } from '#main/cli/data/export.ts';
import { grantCommand } from '#main/cli/access/grant.ts';
import { hookCommand } from '#main/cli/inputs/hook.ts';
import { grantsCommand, revokeCommand } from '#main/cli/access/grants.ts';
import { inboxCommand } from '#main/cli/inbox/inbox.ts';
import { inputsCommand } from '#main/cli/inputs/inputs.ts';
import { jobCommand } from '#main/cli/runner/job.ts';
import { jobsCommand } from '#main/cli/runner/jobs.ts';
import { listCommand } from '#main/cli/workflows/list.ts';
import { pairCommand } from '#main/cli/devices/pair.ts';
import { handoverCommand, ownerCommand, takeoverCommand } from '#main/cli/workflows/owner.ts';
import { pauseCommand, resumeCommand } from '#main/cli/workflows/pause.ts';
import { practiceCommand } from '#main/cli/host/practice.ts';
import { publishCommand } from '#main/cli/workflows/publish.ts';
import { rerunCommand } from '#main/cli/runs/rerun.ts';
import { retentionCommand } from '#main/cli/data/retention.ts';
import { resolveCommand } from '#main/cli/inbox/resolve.ts';
import { restoreCommand, restoredCommand } from '#main/cli/data/restore.ts';
import { runCommand } from '#main/cli/workflows/run.ts';
import { runnerCommand } from '#main/cli/runner/runner.ts';
import { runsCommand } from '#main/cli/runs/runs.ts';
import { secretCommand } from '#main/cli/access/secret.ts';
import { serveCommand } from '#main/cli/host/serve.ts';
import { showCommand } from '#main/cli/runs/show.ts';
import { startCommand } from '#main/cli/inputs/start.ts';
import { syncCommand } from '#main/cli/devices/sync.ts';
import { tokenCommand } from '#main/cli/access/token.ts';
import { tryCommand } from '#main/cli/workflows/try.ts';
import { validateCommand } from '#main/cli/workflows/validate.ts';
import { StartError } from '#main/platform/start-error.ts';
import { appVersion } from '#main/platform/app-version.ts';
import { ApiError } from '#shared/api/errors.ts';

/** Returns the exit code. Only bugs throw. */
export async function main(argv: readonly string[]): Promise<number> {
  let exitCode = 0;
  const exitWith = (code: number): void => {
    exitCode = code;
  };
  const program = new Command('holdfast')
    .description('Durable automation on your own machines.')
    .version(appVersion())
    .exitOverride()
    .addCommand(serveCommand(exitWith))
    .addCommand(addCommand())
    .addCommand(validateCommand(exitWith))
    .addCommand(tryCommand(exitWith))
    .addCommand(listCommand())
    .addCommand(activateCommand())
    .addCommand(pauseCommand())
    .addCommand(resumeCommand())
    .addCommand(ownerCommand())
    .addCommand(handoverCommand())
    .addCommand(takeoverCommand())
    .addCommand(runCommand())
    .addCommand(publishCommand())
    .addCommand(startCommand(exitWith))
    .addCommand(hookCommand())
    .addCommand(inputsCommand())
    .addCommand(runsCommand())
    .addCommand(showCommand())
    .addCommand(inboxCommand())
    .addCommand(resolveCommand())
    .addCommand(answerCommand())
    .addCommand(acknowledgeCommand())
    .addCommand(rerunCommand())
    .addCommand(grantCommand())
    .addCommand(grantsCommand())
    .addCommand(revokeCommand())
    .addCommand(secretCommand())
    .addCommand(tokenCommand())
    .addCommand(pairCommand())
    .addCommand(devicesCommand())
    .addCommand(renameCommand())
    .addCommand(unpairCommand())
    .addCommand(reachCommand())
    .addCommand(syncCommand())
    .addCommand(runnerCommand(exitWith))
    .addCommand(jobsCommand())
    .addCommand(jobCommand())
    .addCommand(backupCommand())
    .addCommand(restoreCommand())
    .addCommand(restoredCommand())
    .addCommand(exportCommand())
    .addCommand(retentionCommand())
    .addCommand(importCommand())
    .addCommand(practiceCommand())
    .addCommand(doctorCommand(exitWith))
    .addCommand(callCommand());
  overrideExits(program);
  try {
    await program.parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    return explain(error);
  }
}

/** Commander would end the process itself: each command, and each below it, is told not to. */
function overrideExits(command: Command): void {
  command.exitOverride();
  for (const below of command.commands) overrideExits(below);
}

function explain(error: unknown): number {
  // Commander has said its sentence already; asking for help is no failure.
  if (error instanceof CommanderError) return error.exitCode;
  if (error instanceof ApiError || error instanceof StartError) {
    process.stderr.write(`holdfast: ${error.message}\n`);
    return 1;
  }
  throw error;
}
