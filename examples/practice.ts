// Shows without risk what Holdfast does when a reply is lost.
//
//   holdfast practice                 in one terminal: a practice service on this machine
//   holdfast serve                    in another: the host
//   holdfast add examples/practice.ts
//   holdfast inbox                    one effect with an unknown outcome
//
// The practice service acts, then cuts the connection. Holdfast can't know whether it acted, and this
// workflow doesn't describe a check. So Holdfast stops and asks you. Look at http://127.0.0.1:8808
// for the order, then settle it with "holdfast resolve".
import { workflow, type Prepared } from 'holdfast';

const PRACTICE = '127.0.0.1:8808';

type Order = { what: string; pieces: number };

export default workflow({
  name: 'practice',
  uses: { http: { hosts: [PRACTICE] } },
  topics: ['order.wanted', 'order.placed'],
  producers: {
    // Publishes one order. The same id is the same event, so it is ordered once even if this runs
    // every day.
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
      // Reserves the oldest order. The result is stored before anything is sent.
      async prepare(ctx) {
        const [event] = await ctx.peek<Order>('order.wanted', { limit: 1 });
        if (!event) return;
        return { reservations: [event], data: event.payload, ui: { title: event.title } };
      },
      // The one effect. The header makes the practice service act and drop its reply.
      async mutate(ctx, prepared: Prepared<Order>) {
        await ctx.tools.http.post({
          url: `http://${PRACTICE}/effects/order`,
          headers: { 'X-Practice-Fault': 'drop_answer' },
          json: prepared.data,
        });
      },
      // Runs when the outcome is known: here, after you settled it.
      async next(ctx, prepared, outcome) {
        console.log(`The order was settled as ${outcome.status}.`);
        if (outcome.status !== 'applied') return;
        await ctx.publish('order.placed', { id: 'first', title: 'Placed', payload: prepared.data });
      },
    },
    // Without mutate() and next() an event is just consumed.
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
