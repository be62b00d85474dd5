// Calls that exchange changes with other devices through a folder.
import { z } from 'zod';
import { id } from '#shared/api/fields.ts';

const MAX_PATH_LENGTH = 4096;

export const syncContract = {
  /** Reads the changes of other devices from a shared folder and writes this device's changes to it. */
  'sync.folder': {
    input: z.strictObject({ dir: z.string().min(1).max(MAX_PATH_LENGTH) }),
    output: z.strictObject({
      /** Number of merged changes of other devices and of written changes of this device. */
      read: z.int(),
      written: z.int(),
      devices: z.array(id),
      problems: z.array(z.strictObject({ device: id, name: z.string(), message: z.string() })),
    }),
  },
} as const;
