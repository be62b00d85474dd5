// Uploads every file of a folder once, then moves it to the folder "done".
//
// The server can be checked, so a lost reply needs no person: Holdfast asks the server whether the
// upload arrived.
//
// Before the first run: holdfast secret set upload-token
import { workflow, type Prepared } from 'holdfast';

const OUTBOX = '~/Outbox';
const SERVER = 'https://files.example.org';
const SERVER_HOST = 'files.example.org';

type Upload = { name: string; sha256: string; base64: string };

export default workflow({
  name: 'upload-folder',
  uses: { files: { folders: [OUTBOX] }, http: { hosts: [SERVER_HOST] } },
  topics: ['file.found', 'file.uploaded'],
  producers: {
    look: {
      schedule: { every: '1m' },
      publishes: ['file.found'],
      async run(ctx) {
        const { entries } = await ctx.tools.files.list({ path: OUTBOX });
        for (const { name, kind, modifiedAt } of entries) {
          // Skip hidden files, and files that may still be incomplete.
          if (kind !== 'file' || name.startsWith('.')) continue;
          if (ctx.now - Date.parse(modifiedAt) < 60_000) continue;
          const id = `${name} ${modifiedAt}`;
          await ctx.publish('file.found', { id, title: name, payload: { name } });
        }
      },
    },
  },
  consumers: {
    upload: {
      subscribes: 'file.found',
      publishes: ['file.uploaded'],
      async prepare(ctx) {
        const [event] = await ctx.peek<{ name: string }>('file.found', { limit: 1 });
        if (!event) return;
        const { name } = event.payload;
        const file = await ctx.tools.files.read({ path: `${OUTBOX}/${name}`, encoding: 'base64' });
        const data: Upload = { name, sha256: file.sha256, base64: file.base64 };
        return { reservations: [event], data, ui: { title: `Upload ${name}` } };
      },
      async mutate(ctx, { data }: Prepared<Upload>) {
        await ctx.tools.http.post({
          url: `${SERVER}/effects/upload`,
          auth: { bearerSecret: 'upload-token' },
          json: data,
          // The effect id is sent as Idempotency-Key. This describes how to look it up later.
          reconcile: {
            url: `${SERVER}/effects`,
            query: 'key',
            happenedWhen: { jsonPath: 'count', equals: 1 },
            didNotHappenWhen: { jsonPath: 'count', equals: 0 },
          },
        });
      },
      async next(ctx, prepared: Prepared<Upload>, outcome) {
        if (outcome.status !== 'applied') return;
        const { name } = prepared.data;
        const id = prepared.reservations[0]?.messageId ?? name;
        await ctx.publish('file.uploaded', { id, title: name, payload: { name } });
      },
    },
    // A separate run: if moving fails, the upload is not repeated.
    putAway: {
      subscribes: 'file.uploaded',
      async prepare(ctx) {
        const [event] = await ctx.peek('file.uploaded', { limit: 1 });
        if (!event) return;
        return { reservations: [event], data: event.payload, ui: { title: `Move ${event.title}` } };
      },
      async mutate(ctx, { data }: Prepared<{ name: string }>) {
        await ctx.tools.files.move({
          from: `${OUTBOX}/${data.name}`,
          to: `${OUTBOX}/done/${data.name}`,
        });
      },
    },
  },
});
