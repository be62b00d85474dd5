// Worker thread of one backup: takes the paths from `workerData` and exits when the file is complete.
import { workerData } from 'node:worker_threads';
import { z } from 'zod';
import { writeBackup } from '#main/upkeep/backup-file.ts';

const { source, target, madeAt } = z
  .object({ source: z.string(), target: z.string(), madeAt: z.int() })
  .parse(workerData);

writeBackup(source, target, { madeAt });
