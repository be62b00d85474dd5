// The sample of a new install: see once, without risk, what Holdfast does when an answer is lost.
//
//   holdfast practice                 in one terminal: a small outside world on this machine
//   holdfast serve                    in another: the host
//   holdfast add examples/practice.ts
//   holdfast inbox                    one effect whose outcome nobody knows
//
// The practice service is told to act and then to cut the connection. Holdfast cannot know whether
// it acted, and this workflow does not say how to ask. So it stops and asks you. Look at
// http://127.0.0.1:8808 whether the order is there, then settle it with "holdfast resolve".
import { workflow, type Prepared } from 'holdfast';

const PRACTICE = '127.0.0.1:8808';

type Order = { what: string; pieces: number };

export default workflow({
  name: 'practice',
  uses: { http: { hosts: [PRACTICE] } },
  topics: ['order.wanted', 'order.placed'],
  producers: {
    // Publishes one order. The same id again is the same event: it is ordered once, however often
    // this runs.
    want: {
      schedule: { every: '1d' },
      publishes: ['order.wanted'],
      async run(ctx) {
        const order: Order = { what: 'rope', pieces: 3 };
        await ctx.publish('order.wanted', { id: 'first', title: 'Three ropes', payload: order });
      },
    },
  },
  consumers: {
    place: {
      subscribes: 'order.wanted',
      publishes: ['order.placed'],
      // Takes the oldest order. What it returns is kept before anything is sent.
      async prepare(ctx) {
        const [event] = await ctx.peek<Order>('order.wanted', { limit: 1 });
        if (!event) return;
        return { reservations: [event], data: event.payload, ui: { title: event.title } };
      },
      // The one effect. The header tells the practice service to act and lose its answer.
      async mutate(ctx, prepared: Prepared<Order>) {
        await ctx.tools.http.post({
          url: `http://${PRACTICE}/effects/order`,
          headers: { 'X-Practice-Fault': 'drop_answer' },
          json: prepared.data,
        });
      },
      // Runs once the outcome is known: when you have said what became of it.
      async next(ctx, prepared, outcome) {
        console.log(`The order was settled as ${outcome.status}.`);
        if (outcome.status !== 'applied') return;
        await ctx.publish('order.placed', { id: 'first', title: 'Placed', payload: prepared.data });
      },
    },
    // Without mutate() and next() an event is simply taken.
    note: {
      subscribes: 'order.placed',
      async prepare(ctx) {
        const events = await ctx.peek('order.placed');
        for (const { title } of events) console.log(title);
        return { reservations: events };
      },
    },
  },
});
