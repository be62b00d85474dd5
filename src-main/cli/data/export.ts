// `holdfast export DIR` and `holdfast import DIR`: everything as plain files, and back.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { openQuietly, type DataOption } from '#main/cli/host-client.ts';
import { printLine, showTime } from '#main/cli/print.ts';
import { chooseDataDir } from '#main/data-folder/data-dir.ts';
import { isFolderLocked } from '#main/data-folder/folder-lock.ts';
import { StartError } from '#main/platform/start-error.ts';

export function exportCommand(): Command {
  return new Command('export')
    .description('write workflows, history and settings as plain files; no secrets, no keys')
    .argument('<dir>', 'a folder that is empty or does not exist yet')
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
      // An older one is brought up to date first; a running host has done so.
      if (!isFolderLocked(dir)) await (await openQuietly(dir)).close();
      const { exportTo } = await import('#main/upkeep/export.ts');
      const manifest = exportTo(database, join(dir, 'archive'), resolve(to), Date.now());
      const lines = Object.entries(manifest.files).filter(([file]) => file.startsWith('history/'));
      const rows = lines.reduce((sum, [, file]) => sum + file.lines, 0);
      printLine(
        `Exported to ${resolve(to)}: ${rows} rows of history. Secrets and keys are not in it.`,
      );
    });
}

export function importCommand(): Command {
  return new Command('import')
    .description('merge an exported folder into this data folder; what is newer here stays')
    .argument('<dir>', 'a folder that "holdfast export" made')
    .option('--grants', 'also what workflows were granted there')
    .addOption(dataOption())
    .action(async (from: string, options: DataOption & { grants?: boolean }) => {
      const { importFrom } = await import('#main/upkeep/import.ts');
      const { folder, stores, close } = await openQuietly(chooseDataDir(options.data));
      try {
        const target = {
          db: folder.db,
          settings: stores.settings,
          deviceId: folder.identity.deviceId,
          archive: join(folder.dir, 'archive'),
          now: Date.now(),
        };
        const done = importFrom(resolve(from), target, { withGrants: options.grants ?? false });
        printLine(
          `Imported what was exported at ${showTime(done.exportedAt)}: ${done.rows} rows of history and ${done.localRows} others were new here.`,
        );
        if (done.rows > 0) printLine(AFTERWARDS);
      } finally {
        await close();
      }
    });
}

const AFTERWARDS =
  'Workflows of other devices do not run here by themselves. "holdfast restored" shows what could happen again, and goes on with one at a time.';
