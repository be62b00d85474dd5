// Calls about the desktop that Holdfast runs on. A host without one answers that it has none.
import { z } from 'zod';

export const desktopSchema = z.strictObject({
  startAtLogin: z.boolean(),
  /** Why it cannot be switched here; null where it can. */
  startAtLoginProblem: z.string().nullable(),
  /** Notices of what waits for a person and of what failed. */
  notifications: z.boolean(),
  notificationsProblem: z.string().nullable(),
  /** The window closed, it stays in the tray and goes on. */
  keepRunning: z.boolean(),
});
export type DesktopView = z.infer<typeof desktopSchema>;

export const desktopContract = {
  'desktop.get': {
    input: z.strictObject({}),
    output: z.strictObject({ desktop: desktopSchema.nullable() }),
  },
  'desktop.set': {
    input: z.strictObject({
      startAtLogin: z.boolean().optional(),
      notifications: z.boolean().optional(),
      keepRunning: z.boolean().optional(),
    }),
    output: desktopSchema,
  },
  /** Shows the data folder in the file manager. */
  'desktop.openFolder': {
    input: z.strictObject({}),
    output: z.strictObject({}),
  },
  /** Every workflow that this device runs. Those that were paused before stay so afterwards. */
  'workflows.pauseAll': {
    input: z.strictObject({}),
    output: z.strictObject({ paused: z.int() }),
  },
  'workflows.resumeAll': {
    input: z.strictObject({}),
    output: z.strictObject({ resumed: z.int() }),
  },
} as const;

/** What tells those that were paused with all the others from those that were paused by themselves. */
export const PAUSED_WITH_ALL = 'Everything on this device was paused.';
