// A person asks for an offer with a form. After your approval Holdfast mails the reply.
//
//   holdfast publish form-to-mail form.sent '{"name":"Bo","email":"bo@example.org","request":"Ten ropes"}'
//   holdfast inbox
//   holdfast answer ID Send
//
// Before the first run: holdfast secret set mail-password
import { workflow, type Outcome, type Prepared } from 'holdfast';

const ACCOUNT = {
  from: 'Ada <ada@example.org>',
  smtp: { host: 'smtp.example.org', port: 465, user: 'ada@example.org' },
  imap: { host: 'imap.example.org', port: 993, user: 'ada@example.org' },
  passwordSecret: 'mail-password',
};

type Form = { name: string; email: string; request: string };

export default workflow({
  name: 'form-to-mail',
  uses: { ask: {}, mail: { account: ACCOUNT } },
  topics: ['form.sent', 'answer.approved'],
  consumers: {
    approve: {
      subscribes: 'form.sent',
      publishes: ['answer.approved'],
      async prepare(ctx) {
        const [event] = await ctx.peek<Form>('form.sent', { limit: 1 });
        if (!event) return;
        const { name, email, request } = event.payload;
        // The form is untrusted: limit its size, and stop at an invalid address.
        if (!/^[^\s@<>,;]+@[^\s@<>,;]+$/.test(email))
          throw new Error(`"${email}" is not a mail address.`);
        const data: Form = { name: name.slice(0, 100), email, request: request.slice(0, 2000) };
        return { reservations: [event], data, ui: { title: `Offer for ${data.name}?` } };
      },
      async mutate(ctx, { data }: Prepared<Form>) {
        await ctx.tools.ask.question({
          question: `Send ${data.name} <${data.email}> an offer?`,
          details: data.request,
          choices: ['Send', 'Do not send'],
        });
      },
      async next(ctx, prepared: Prepared<Form>, outcome: Outcome<{ answer: string }>) {
        if (outcome.status !== 'applied' || outcome.result?.answer !== 'Send') return;
        const id = prepared.reservations[0]?.messageId ?? '';
        const { name } = prepared.data;
        await ctx.publish('answer.approved', { id, title: name, payload: prepared.data });
      },
    },
    send: {
      subscribes: 'answer.approved',
      async prepare(ctx) {
        const [event] = await ctx.peek<Form>('answer.approved', { limit: 1 });
        if (!event) return;
        const ui = { title: `Offer to ${event.title}` };
        return { reservations: [event], data: event.payload, ui };
      },
      async mutate(ctx, { data }: Prepared<Form>) {
        await ctx.tools.mail.send({
          to: data.email,
          subject: 'Our offer',
          text: `Dear ${data.name},\n\nThank you for your request: ${data.request}\n\nAda\n`,
        });
      },
    },
  },
});
