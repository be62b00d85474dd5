// Templates for new workflows. Each runs as it is.

export interface Template {
  readonly id: string;
  readonly name: string;
  readonly about: string;
  readonly fileName: string;
  readonly source: string;
}

const ASK = `import { workflow } from 'holdfast';

// Asks you once an hour whether everything is OK. Your answers appear in the log of each run.
export default workflow({
  name: 'hello',
  uses: { ask: {} },
  topics: ['greeting'],
  producers: {
    greet: {
      schedule: { every: '1h' },
      publishes: ['greeting'],
      async run(ctx) {
        await ctx.publish('greeting', { id: String(ctx.now), title: 'Hello' });
      },
    },
  },
  consumers: {
    reply: {
      subscribes: 'greeting',
      // Reads, and reserves the event for this run.
      async prepare(ctx) {
        const [event] = await ctx.peek('greeting', { limit: 1 });
        if (!event) return;
        return { reservations: [event], ui: { title: event.title } };
      },
      // The one effect.
      async mutate(ctx) {
        await ctx.tools.ask.question({ question: 'Everything OK?', choices: ['Yes', 'No'] });
      },
      // Runs once the outcome is known.
      async next(_ctx, _prepared, outcome) {
        if (outcome.status === 'applied') console.log('You said', outcome.result);
      },
    },
  },
});
`;

const POST = `import { workflow, type Prepared } from 'holdfast';

const API = 'api.example.org';

type Order = { readonly number: string; readonly total: number };

// Sends each order in the topic to a service, once. Publish one to see it go.
export default workflow({
  name: 'orders',
  uses: { http: { hosts: [API] } },
  topics: ['order.received', 'order.sent'],
  consumers: {
    send: {
      subscribes: 'order.received',
      publishes: ['order.sent'],
      async prepare(ctx) {
        const [event] = await ctx.peek<Order>('order.received', { limit: 1 });
        if (!event) return;
        return {
          reservations: [event],
          data: event.payload,
          ui: { title: \`Send \${event.title}\` },
        };
      },
      async mutate(ctx, prepared: Prepared<Order>) {
        await ctx.tools.http.post({
          url: \`https://\${API}/orders\`,
          json: prepared.data,
          // How to check afterwards whether it went through, if the reply gets lost.
          reconcile: {
            url: \`https://\${API}/orders?key={effectId}\`,
            happenedWhen: { jsonPath: 'count', equals: 1 },
            didNotHappenWhen: { jsonPath: 'count', equals: 0 },
          },
        });
      },
      async next(ctx, prepared, outcome) {
        const [event] = prepared.reservations;
        if (!event || outcome.status !== 'applied') return;
        await ctx.publish('order.sent', { id: event.messageId, title: event.title });
      },
    },
  },
});
`;

const WATCH = `import { workflow } from 'holdfast';

const PAGE = 'https://status.example.org/api/status.json';

// Reads a page every five minutes and notifies you when it changed.
export default workflow({
  name: 'status-watch',
  uses: { http: { hosts: ['status.example.org'] }, notify: {} },
  topics: ['status.changed'],
  producers: {
    look: {
      schedule: { every: '5m' },
      publishes: ['status.changed'],
      // The state is what the last run returned.
      async run(ctx, state: { last: string } | null) {
        const { json } = await ctx.tools.http.get<{ status: string }>({ url: PAGE });
        if (state !== null && state.last !== json.status) {
          await ctx.publish('status.changed', {
            id: String(ctx.now),
            title: \`\${state.last} → \${json.status}\`,
          });
        }
        return { last: json.status };
      },
    },
  },
  consumers: {
    notify: {
      subscribes: 'status.changed',
      async prepare(ctx) {
        const [event] = await ctx.peek('status.changed', { limit: 1 });
        if (!event) return;
        return { reservations: [event], data: { title: event.title } };
      },
      async mutate(ctx, prepared) {
        await ctx.tools.notify.show({ title: 'Status changed', body: prepared.data.title });
      },
    },
  },
});
`;

export const TEMPLATES: readonly [Template, ...Template[]] = [
  {
    id: 'ask',
    name: 'Ask me',
    about: 'Asks you a question every hour',
    fileName: 'hello.ts',
    source: ASK,
  },
  {
    id: 'watch',
    name: 'Watch a page',
    about: 'Reads a page and notifies you of changes',
    fileName: 'status-watch.ts',
    source: WATCH,
  },
  {
    id: 'post',
    name: 'Send orders',
    about: 'Sends each event once, with an automatic check',
    fileName: 'orders.ts',
    source: POST,
  },
];
