// Renames photos by the time they were taken: IMG_0042.JPG becomes
// 2026-03-02 14.05.11 IMG_0042.jpg. Photos with such a name are left alone.
import { workflow, type Prepared } from 'holdfast';

const PHOTOS = '~/Pictures/Camera';
const IS_PHOTO = /\.(jpe?g|heic|png)$/i;
const IS_NAMED = /^\d{4}-\d\d-\d\d /;

type Rename = { from: string; to: string };

export default workflow({
  name: 'rename-photos',
  uses: { files: { folders: [PHOTOS] } },
  topics: ['photo.found'],
  producers: {
    look: {
      schedule: { every: '10m' },
      publishes: ['photo.found'],
      async run(ctx) {
        const { entries } = await ctx.tools.files.list({ path: PHOTOS });
        for (const { name, kind, modifiedAt } of entries) {
          if (kind !== 'file' || !IS_PHOTO.test(name) || IS_NAMED.test(name)) continue;
          // A newer file may still be incomplete.
          if (ctx.now - Date.parse(modifiedAt) < 60_000) continue;
          const taken = modifiedAt.slice(0, 19).replace('T', ' ').replaceAll(':', '.');
          const to = `${taken} ${name.replace(IS_PHOTO, (end) => end.toLowerCase())}`;
          const payload: Rename = { from: name, to };
          await ctx.publish('photo.found', { id: `${name} ${modifiedAt}`, title: name, payload });
        }
      },
    },
  },
  consumers: {
    rename: {
      subscribes: 'photo.found',
      async prepare(ctx) {
        const [event] = await ctx.peek<Rename>('photo.found', { limit: 1 });
        if (!event) return;
        const ui = { title: `${event.payload.from} → ${event.payload.to}` };
        return { reservations: [event], data: event.payload, ui };
      },
      async mutate(ctx, { data }: Prepared<Rename>) {
        // Never overwrites a file. After a crash Holdfast checks both names.
        await ctx.tools.files.move({ from: `${PHOTOS}/${data.from}`, to: `${PHOTOS}/${data.to}` });
      },
    },
  },
});
