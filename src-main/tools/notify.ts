// Desktop notifications. Shown once; whether a person saw one can't be checked.
import { z } from 'zod';
import type { MutationMethod, Tool } from '#main/tools/tool.ts';

export interface Notice {
  /** The effect id. Desktops that support it replace a notification with the same id. */
  readonly id: string;
  readonly title: string;
  readonly body: string;
}

/** Rejects only when it is certain that nothing was shown. */
export type Notifier = (notice: Notice) => Promise<void>;

const params = z.strictObject({
  title: z.string().trim().min(1).max(200),
  body: z.string().max(2000).default(''),
});
type Params = z.infer<typeof params>;

export function createNotifyTool(notifier: Notifier): Tool {
  const show: MutationMethod<Params> = {
    kind: 'mutation',
    params: params.describe('Shows a notice on the desktop.'),
    describe: ({ title }) => `Show the notice "${title}"`,
    howToCheck: ({ title }) => `Did a notice "${title}" appear on this device?`,
    call: async ({ effectId, maySend }, { title, body }) => {
      const heldBack = maySend();
      if (heldBack) return { type: 'not_sent', ...heldBack };
      try {
        await notifier({ id: effectId, title: plain(title), body: plain(body) });
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        return { type: 'failed', errorType: 'internal', error: `The notice was not shown: ${why}` };
      }
      return { type: 'applied', result: { shown: true } };
    },
  };
  return {
    namespace: 'notify',
    grant: z.strictObject({}).meta({ examples: [{}] }),
    describeGrant: () => 'may show notices',
    methods: { show },
  };
}

/** Removes control characters, which could control the terminal. Line ends become spaces. */
function plain(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
}
