// Calls that exchange changes with other devices.
import { z } from 'zod';
import { id } from '#shared/api/fields.ts';

const MAX_PATH_LENGTH = 4096;

export const syncContract = {
  /** Reads what other devices left in a shared folder of this machine, and leaves ours. */
  'sync.folder': {
    input: z.strictObject({ dir: z.string().min(1).max(MAX_PATH_LENGTH) }),
    output: z.strictObject({
      /** Changes of others that were merged, and of ours that were written. */
      read: z.int(),
      written: z.int(),
      devices: z.array(id),
      problems: z.array(z.strictObject({ device: id, name: z.string(), message: z.string() })),
    }),
  },
} as const;
