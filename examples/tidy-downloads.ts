// Moves downloads that are a week old into a folder per month: 2026-03/report.pdf.
import { workflow, type Prepared } from 'holdfast';

const DOWNLOADS = '~/Downloads';
const WEEK = 7 * 24 * 60 * 60 * 1000;

type Old = { name: string; month: string };

export default workflow({
  name: 'tidy-downloads',
  uses: { files: { folders: [DOWNLOADS] } },
  topics: ['file.old', 'folder.ready'],
  producers: {
    look: {
      schedule: { every: '1h' },
      publishes: ['file.old'],
      async run(ctx) {
        const { entries } = await ctx.tools.files.list({ path: DOWNLOADS });
        for (const { name, kind, modifiedAt } of entries) {
          if (kind !== 'file' || ctx.now - Date.parse(modifiedAt) < WEEK) continue;
          const payload: Old = { name, month: modifiedAt.slice(0, 7) };
          await ctx.publish('file.old', { id: `${name} ${modifiedAt}`, title: name, payload });
        }
      },
    },
  },
  consumers: {
    // A run makes at most one effect, so creating the folder and moving the file are two runs.
    makeFolder: {
      subscribes: 'file.old',
      publishes: ['folder.ready'],
      async prepare(ctx) {
        const [event] = await ctx.peek<Old>('file.old', { limit: 1 });
        if (!event) return;
        const { name, month } = event.payload;
        const { exists } = await ctx.tools.files.stat({ path: `${DOWNLOADS}/${month}` });
        const data = { ...event.payload, exists };
        return { reservations: [event], data, ui: { title: `Folder for ${name}` } };
      },
      async mutate(ctx, { data }: Prepared<Old & { exists: boolean }>) {
        if (!data.exists) await ctx.tools.files.mkdir({ path: `${DOWNLOADS}/${data.month}` });
      },
      async next(ctx, { data, reservations }: Prepared<Old>) {
        const id = reservations[0]?.messageId ?? data.name;
        await ctx.publish('folder.ready', { id, title: data.name, payload: data });
      },
    },
    move: {
      subscribes: 'folder.ready',
      async prepare(ctx) {
        const [event] = await ctx.peek<Old>('folder.ready', { limit: 1 });
        if (!event) return;
        return { reservations: [event], data: event.payload, ui: { title: `Move ${event.title}` } };
      },
      async mutate(ctx, { data }: Prepared<Old>) {
        // Never overwrites a file: if the target exists, the run fails and nothing is moved.
        await ctx.tools.files.move({
          from: `${DOWNLOADS}/${data.name}`,
          to: `${DOWNLOADS}/${data.month}/${data.name}`,
        });
      },
    },
  },
});
