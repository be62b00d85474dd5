// Calls about the desktop integration. A host without a desktop returns null.
import { z } from 'zod';

export const desktopSchema = z.strictObject({
  startAtLogin: z.boolean(),
  /** Why it cannot be changed here; null if it can. */
  startAtLoginProblem: z.string().nullable(),
  /** Notifications about items that wait for a person and about failures. */
  notifications: z.boolean(),
  notificationsProblem: z.string().nullable(),
  /** After the window is closed, the app keeps running in the tray. */
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
  /** Pauses every workflow that this device runs. `resumeAll` resumes only those. */
  'workflows.pauseAll': {
    input: z.strictObject({}),
    output: z.strictObject({ paused: z.int() }),
  },
  'workflows.resumeAll': {
    input: z.strictObject({}),
    output: z.strictObject({ resumed: z.int() }),
  },
} as const;

/** The pause reason by which `resumeAll` recognizes the workflows that `pauseAll` paused. */
export const PAUSED_WITH_ALL = 'Everything on this device was paused.';
