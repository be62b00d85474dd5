// Makes a payment after your approval. The question stays in the inbox, across restarts, until you
// answer it.
//
//   holdfast publish approve-payment payment.wanted '{"to":"ACME","cents":129900}' --id inv-17
//   holdfast inbox
//   holdfast answer ID Pay
//
// Before the first run: holdfast secret set bank-token
import { workflow, type Outcome, type Prepared } from 'holdfast';

const BANK = 'https://bank.example.org';
const BANK_HOST = 'bank.example.org';

type Payment = { to: string; cents: number };

const euros = (cents: number): string => `${(cents / 100).toFixed(2)} EUR`;

export default workflow({
  name: 'approve-payment',
  uses: { ask: {}, http: { hosts: [BANK_HOST] } },
  topics: ['payment.wanted', 'payment.approved'],
  consumers: {
    ask: {
      subscribes: 'payment.wanted',
      publishes: ['payment.approved'],
      async prepare(ctx) {
        const [event] = await ctx.peek<Payment>('payment.wanted', { limit: 1 });
        if (!event) return;
        const { to, cents } = event.payload;
        const title = `Pay ${euros(cents)} to ${to}?`;
        return { reservations: [event], data: event.payload, ui: { title } };
      },
      async mutate(ctx, { data }: Prepared<Payment>) {
        await ctx.tools.ask.question({
          question: `Pay ${euros(data.cents)} to ${data.to}?`,
          choices: ['Pay', 'Do not pay'],
        });
      },
      async next(ctx, prepared: Prepared<Payment>, outcome: Outcome<{ answer: string }>) {
        if (outcome.status !== 'applied' || outcome.result?.answer !== 'Pay') {
          console.log('Not paid: not approved.');
          return;
        }
        const [wanted] = prepared.reservations;
        await ctx.publish('payment.approved', {
          id: wanted?.messageId ?? '',
          title: prepared.ui.title ?? 'Payment',
          payload: prepared.data,
        });
      },
    },
    pay: {
      subscribes: 'payment.approved',
      async prepare(ctx) {
        const [event] = await ctx.peek<Payment>('payment.approved', { limit: 1 });
        if (!event) return;
        return { reservations: [event], data: event.payload, ui: { title: `Pay ${event.title}` } };
      },
      async mutate(ctx, { data }: Prepared<Payment>) {
        // Holdfast sends an Idempotency-Key. This bank stores it, so the payment can be checked.
        await ctx.tools.http.post({
          url: `${BANK}/effects/payment`,
          auth: { bearerSecret: 'bank-token' },
          json: data,
          reconcile: {
            url: `${BANK}/effects`,
            query: 'key',
            happenedWhen: { jsonPath: 'effects.0.key', equals: '{effectId}' },
          },
        });
      },
    },
  },
});
