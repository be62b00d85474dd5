// The workflow for the browser tests: pays invoices at the practice service, asks questions, and throws
// on an invalid invoice.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes it into the folder; `host` is where the practice service is. */
export function writePaymentsWorkflow(folder: string, host: string, name = 'payments'): string {
  const path = join(folder, 'payments.ts');
  writeFileSync(path, sourceFor(host, name));
  return path;
}

const sourceFor = (host: string, name: string): string => `import { workflow } from 'holdfast';

export default workflow({
  name: '${name}',
  uses: { http: { hosts: ['${host}'] }, ask: {} },
  topics: ['invoice', 'doubtful', 'paid'],
  producers: {
    collect: {
      schedule: { every: '1h', missed: 'none' },
      publishes: ['invoice'],
      async run(ctx, state) {
        console.log('looked for invoices');
        return { looked: (state?.looked ?? 0) + 1 };
      },
    },
  },
  consumers: {
    pay: {
      subscribes: ['invoice'],
      publishes: ['paid'],
      async prepare(ctx, state) {
        const [event] = await ctx.peek('invoice', { limit: 1 });
        if (!event) return {};
        if (event.payload.amount === undefined) throw new Error('An invoice without an amount.');
        console.log('about to pay', event.title);
        return { reservations: [event], data: event.payload, ui: { title: 'Pay ' + event.title } };
      },
      async mutate(ctx, prepared) {
        await ctx.tools.http.post({
          url: 'http://${host}/effects/payment',
          json: { amount: prepared.data.amount, invoice: prepared.reservations[0].title },
          cost: { usd: 0.0123 },
        });
      },
      async next(ctx, prepared, outcome) {
        const [event] = prepared.reservations;
        await ctx.publish('paid', {
          id: event.messageId + '/' + event.attempt,
          title: event.title + ': ' + outcome.status,
          payload: outcome,
        });
        return { last: event.title };
      },
    },
    confirm: {
      subscribes: ['doubtful'],
      publishes: ['paid'],
      async prepare(ctx) {
        const [event] = await ctx.peek('doubtful', { limit: 1 });
        if (!event) return {};
        return { reservations: [event], ui: { title: 'Confirm ' + event.title } };
      },
      async mutate(ctx, prepared) {
        const [event] = prepared.reservations;
        await ctx.tools.ask.question({
          question: 'Pay ' + event.title + '?',
          details: 'It is higher than usual.',
          choices: event.payload.choices ?? undefined,
        });
      },
      async next(ctx, prepared, outcome) {
        const [event] = prepared.reservations;
        await ctx.publish('paid', { id: event.messageId, title: 'Asked', payload: outcome });
      },
    },
  },
});
`;
