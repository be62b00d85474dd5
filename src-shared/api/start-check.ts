// Calls about whether this device waits for its peers before it runs anything.
import { z } from 'zod';
import { id, millis } from '#shared/api/fields.ts';
import { ASK_REASONS } from '#shared/start-check.ts';

export const startCheckContract = {
  /** Null while workflows may run. */
  'startCheck.get': {
    input: z.strictObject({}),
    output: z.strictObject({
      asking: z
        .strictObject({
          reason: z.enum(ASK_REASONS),
          /** When Holdfast continues without the devices that have not answered. */
          until: millis,
          waitsFor: z.array(z.strictObject({ deviceId: id, name: z.string() })),
        })
        .nullable(),
    }),
  },
  /** Continues without the devices that have not answered. */
  'startCheck.goOn': { input: z.strictObject({}), output: z.strictObject({}) },
} as const;

export type StartCheckView = z.infer<(typeof startCheckContract)['startCheck.get']['output']>;
