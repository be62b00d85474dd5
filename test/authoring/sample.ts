// A valid workflow, which tests modify.
export const SAMPLE = `import { workflow, type Outcome } from 'holdfast';

interface Invoice {
  readonly subject: string;
}

// Not this: producers: { poll: { schedule: {} } }, consumers: { file: { subscribes: 'x' }, tell: {} }
export default workflow({
  name: 'invoices',
  uses: { http: { hosts: ['api.example.org'] }, files: { folders: ['~/Invoices'] } },
  topics: ['mail.received', 'invoice.filed'],
  producers: {
    poll: {
      schedule: { cron: '0 9 * * 1-5', timezone: 'Europe/Berlin', missed: 'none' },
      publishes: ['mail.received'],
      async run(ctx, state: { since: number } | null) {
        await ctx.publish('mail.received', { id: '1', title: 'one' });
        return { since: (state?.since ?? 0) + 1 };
      },
    },
  },
  consumers: {
    file: {
      subscribes: 'mail.received',
      publishes: ['invoice.filed'],
      async prepare(ctx) {
        return { reservations: await ctx.peek('mail.received') };
      },
      async mutate(ctx, prepared: { data: Invoice }) {
        await ctx.tools.http.post({ url: 'https://api.example.org', body: prepared.data });
      },
      next: async (ctx, prepared, outcome: Outcome) => {
        if (outcome.status === 'applied') await ctx.publish('invoice.filed', { id: '1', title: 'one' });
      },
    },
    tell: {
      subscribes: ['invoice.filed'],
      prepare: () => ({}),
    },
  },
});
`;
