// The thread of one backup: it begins with what it is told, and ends when the file is there.
import { workerData } from 'node:worker_threads';
import { z } from 'zod';
import { writeBackup } from '#main/upkeep/backup-file.ts';

const { source, target, madeAt } = z
  .object({ source: z.string(), target: z.string(), madeAt: z.int() })
  .parse(workerData);

writeBackup(source, target, { madeAt });
