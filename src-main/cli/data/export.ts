// `holdfast export DIR` and `holdfast import DIR`
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { openIdleHost, type DataOption } from '#main/cli/host-client.ts';
import { printLine, showTime } from '#main/cli/print.ts';
import { chooseDataDir } from '#main/data-folder/data-dir.ts';
import { isFolderLocked } from '#main/data-folder/folder-lock.ts';
import { StartError } from '#main/platform/start-error.ts';

export function exportCommand(): Command {
  return new Command('export')
    .description('Export workflows, history and settings as plain files, without secrets or keys')
    .argument('<dir>', 'Empty or new folder')
    .addOption(dataOption())
    .action(async (to: string, options: DataOption) => {
      const dir = chooseDataDir(options.data);
      const { DATABASE_FILE } = await import('#main/data-folder/data-folder.ts');
      const database = join(dir, DATABASE_FILE);
      if (!existsSync(database)) {
        throw new StartError(
          'bad_setting',
          `There is no database in ${dir}. Nothing was exported.`,
        );
      }
      // Opening the folder migrates an older database; a running host has done that already.
      if (!isFolderLocked(dir)) await (await openIdleHost(dir)).close();
      const { exportTo } = await import('#main/upkeep/export.ts');
      const folders = { archive: join(dir, 'archive'), artifacts: join(dir, 'artifacts') };
      const manifest = exportTo(database, folders, resolve(to), Date.now());
      const lines = Object.entries(manifest.files).filter(([file]) => file.startsWith('history/'));
      const rows = lines.reduce((sum, [, file]) => sum + file.lines, 0);
      printLine(
        `Exported ${rows} rows of history to ${resolve(to)}. Secrets and keys are not included.`,
      );
    });
}

export function importCommand(): Command {
  return new Command('import')
    .description('Merge an exported folder into this data folder; newer local values win')
    .argument('<dir>', 'Folder written by "holdfast export"')
    .option('--grants', 'Import grants too')
    .addOption(dataOption())
    .action(async (from: string, options: DataOption & { grants?: boolean }) => {
      const { importFrom } = await import('#main/upkeep/import.ts');
      const { folder, stores, close } = await openIdleHost(chooseDataDir(options.data));
      try {
        const target = {
          db: folder.db,
          settings: stores.settings,
          deviceId: folder.identity.deviceId,
          archive: join(folder.dir, 'archive'),
          artifacts: join(folder.dir, 'artifacts'),
          now: Date.now(),
        };
        const result = importFrom(resolve(from), target, { withGrants: options.grants ?? false });
        printLine(
          `Imported the export of ${showTime(result.exportedAt)}: ${result.rows} new rows of history and ${result.localRows} other new rows.`,
        );
        if (result.rows > 0) printLine(NEXT_STEPS);
      } finally {
        await close();
      }
    });
}

const NEXT_STEPS =
  'Imported workflows do not start here automatically. "holdfast restored" lists what could happen again and resumes one workflow at a time.';
