// The workflow for the input tests: pays an invoice at the practice service and files it, or asks a
// question first.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes it into the folder; `host` is where the practice service is. */
export function writeClerkWorkflow(folder: string, host: string): string {
  const path = join(folder, 'clerk.ts');
  writeFileSync(path, sourceFor(host));
  return path;
}

const sourceFor = (host: string): string => `import { workflow } from 'holdfast';

export default workflow({
  name: 'clerk',
  uses: { http: { hosts: ['${host}'] }, ask: {} },
  topics: ['invoice', 'doubtful', 'paid'],
  consumers: {
    pay: {
      subscribes: ['invoice'],
      publishes: ['paid'],
      async prepare(ctx) {
        const [event] = await ctx.peek('invoice', { limit: 1 });
        if (!event) return {};
        return { reservations: [event], data: event.payload, ui: { title: 'Pay ' + event.title } };
      },
      async mutate(ctx, prepared) {
        await ctx.tools.http.post({
          url: 'http://${host}/effects/payment',
          json: { amount: prepared.data.amount ?? 0 },
        });
      },
      async next(ctx, prepared, outcome) {
        const [event] = prepared.reservations;
        await ctx.publish('paid', {
          id: event.messageId,
          title: event.title + ': ' + outcome.status,
          payload: { status: outcome.status },
        });
      },
    },
    file: {
      subscribes: ['paid'],
      async prepare(ctx) {
        const [event] = await ctx.peek('paid', { limit: 1 });
        if (!event) return {};
        return { reservations: [event], ui: { title: 'File ' + event.title } };
      },
      async next(ctx, prepared) {
        return { last: prepared.reservations[0].title };
      },
    },
    confirm: {
      subscribes: ['doubtful'],
      async prepare(ctx) {
        const [event] = await ctx.peek('doubtful', { limit: 1 });
        if (!event) return {};
        return { reservations: [event], ui: { title: 'Confirm ' + event.title } };
      },
      async mutate(ctx, prepared) {
        await ctx.tools.ask.question({ question: 'Pay ' + prepared.reservations[0].title + '?' });
      },
      async next() {},
    },
  },
});
`;
