// The `holdfast` command: registers the subcommands and turns errors into exit codes.
import { Command, CommanderError } from 'commander';
import { needsHumanCommand } from '#main/cli/inputs/needs-human.ts';
import { flagsCommand } from '#main/cli/access/flags.ts';
import { grantCommand } from '#main/cli/access/grant.ts';
import { grantsCommand, revokeCommand } from '#main/cli/access/grants.ts';
import { hostsCommand } from '#main/cli/access/hosts.ts';
import { secretCommand } from '#main/cli/access/secret.ts';
import { tokenCommand } from '#main/cli/access/token.ts';
import { backupCommand } from '#main/cli/data/backup.ts';
import { exportCommand, importCommand } from '#main/cli/data/export.ts';
import { logCommand } from '#main/cli/data/log.ts';
import { rawPayloadsCommand } from '#main/cli/data/raw-payloads.ts';
import { continueCommand } from '#main/cli/devices/continue.ts';
import { restoreCommand, restoredCommand } from '#main/cli/data/restore.ts';
import { retentionCommand } from '#main/cli/data/retention.ts';
import {
  devicesCommand,
  reachCommand,
  renameCommand,
  unpairCommand,
} from '#main/cli/devices/devices.ts';
import { pairCommand } from '#main/cli/devices/pair.ts';
import { syncCommand } from '#main/cli/devices/sync.ts';
import { callCommand } from '#main/cli/host/call.ts';
import { doctorCommand } from '#main/cli/host/doctor.ts';
import { practiceCommand } from '#main/cli/host/practice.ts';
import { serveCommand } from '#main/cli/host/serve.ts';
import { acknowledgeCommand } from '#main/cli/inbox/acknowledge.ts';
import { answerCommand } from '#main/cli/inbox/answer.ts';
import { inboxCommand } from '#main/cli/inbox/inbox.ts';
import { resolveCommand } from '#main/cli/inbox/resolve.ts';
import { artifactsCommand } from '#main/cli/inputs/artifacts.ts';
import { hookCommand } from '#main/cli/inputs/hook.ts';
import { inputsCommand } from '#main/cli/inputs/inputs.ts';
import { startCommand } from '#main/cli/inputs/start.ts';
import { jobCommand } from '#main/cli/runner/job.ts';
import { jobsCommand } from '#main/cli/runner/jobs.ts';
import { runnerCommand } from '#main/cli/runner/runner.ts';
import { rerunCommand } from '#main/cli/runs/rerun.ts';
import { runsCommand } from '#main/cli/runs/runs.ts';
import { showCommand } from '#main/cli/runs/show.ts';
import { activateCommand } from '#main/cli/workflows/activate.ts';
import { addCommand } from '#main/cli/workflows/add.ts';
import { listCommand } from '#main/cli/workflows/list.ts';
import { handoverCommand, ownerCommand, takeoverCommand } from '#main/cli/workflows/owner.ts';
import { pauseCommand, resumeCommand } from '#main/cli/workflows/pause.ts';
import { publishCommand } from '#main/cli/workflows/publish.ts';
import { runCommand } from '#main/cli/workflows/run.ts';
import { skipCommand } from '#main/cli/workflows/skip.ts';
import { tryCommand } from '#main/cli/workflows/try.ts';
import { validateCommand } from '#main/cli/workflows/validate.ts';
import { StartError } from '#main/platform/start-error.ts';
import { appVersion } from '#main/platform/app-version.ts';
import { ApiError } from '#shared/api/errors.ts';

/** Returns the exit code. Throws only on bugs. */
export async function main(argv: readonly string[]): Promise<number> {
  let exitCode = 0;
  const exitWith = (code: number): void => {
    exitCode = code;
  };
  const program = new Command('holdfast')
    .description('Durable automation on your own machines.')
    .version(appVersion(), '-V, --version', 'Print the version')
    .commandsGroup('Host:')
    .addCommand(serveCommand(exitWith))
    .addCommand(doctorCommand(exitWith))
    .commandsGroup('Workflows:')
    .addCommand(validateCommand(exitWith))
    .addCommand(tryCommand(exitWith))
    .addCommand(addCommand())
    .addCommand(activateCommand())
    .addCommand(listCommand())
    .addCommand(pauseCommand())
    .addCommand(resumeCommand())
    .addCommand(runCommand())
    .addCommand(publishCommand())
    .addCommand(skipCommand())
    .addCommand(ownerCommand())
    .addCommand(handoverCommand())
    .addCommand(takeoverCommand())
    .commandsGroup('Inputs and runs:')
    .addCommand(startCommand(exitWith))
    .addCommand(inputsCommand())
    .addCommand(artifactsCommand())
    .addCommand(hookCommand())
    .addCommand(runsCommand())
    .addCommand(showCommand())
    .addCommand(rerunCommand())
    .commandsGroup('Inbox:')
    .addCommand(inboxCommand())
    .addCommand(resolveCommand())
    .addCommand(answerCommand())
    .addCommand(acknowledgeCommand())
    .commandsGroup('Access:')
    .addCommand(grantCommand())
    .addCommand(grantsCommand())
    .addCommand(revokeCommand())
    .addCommand(secretCommand())
    .addCommand(hostsCommand())
    .addCommand(tokenCommand())
    .addCommand(flagsCommand())
    .addCommand(needsHumanCommand())
    .commandsGroup('Devices:')
    .addCommand(pairCommand())
    .addCommand(devicesCommand())
    .addCommand(renameCommand())
    .addCommand(unpairCommand())
    .addCommand(reachCommand())
    .addCommand(syncCommand(exitWith))
    .addCommand(continueCommand())
    .commandsGroup('Runner:')
    .addCommand(runnerCommand(exitWith))
    .addCommand(jobsCommand())
    .addCommand(jobCommand())
    .commandsGroup('Data:')
    .addCommand(backupCommand())
    .addCommand(restoreCommand())
    .addCommand(restoredCommand())
    .addCommand(exportCommand())
    .addCommand(importCommand())
    .addCommand(retentionCommand())
    .addCommand(rawPayloadsCommand())
    .addCommand(logCommand())
    .commandsGroup('Other:')
    .addCommand(practiceCommand())
    .addCommand(callCommand());
  configure(program);
  try {
    await program.parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    return explain(error);
  }
}

/** Subcommands do not inherit these settings. Without `exitOverride` commander ends the process. */
function configure(command: Command): void {
  command.exitOverride().helpOption('-h, --help', 'Show help');
  if (command.commands.length > 0) command.helpCommand('help [command]', 'Show help for a command');
  for (const subcommand of command.commands) configure(subcommand);
}

function explain(error: unknown): number {
  // Commander has printed its message already. Help exits with 0.
  if (error instanceof CommanderError) return error.exitCode;
  if (error instanceof ApiError || error instanceof StartError) {
    process.stderr.write(`holdfast: ${error.message}\n`);
    return 1;
  }
  throw error;
}
