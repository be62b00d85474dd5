// Mails every invoice in a folder to the bookkeeper once, then adds it to a ledger file.
//
// Before the first run: holdfast secret set mail-password
import { workflow, type Prepared } from 'holdfast';

const INVOICES = '~/Invoices';
const LEDGER = '~/Invoices/ledger.csv';
const BOOKKEEPER = 'books@example.org';
const ACCOUNT = {
  from: 'Ada <ada@example.org>',
  smtp: { host: 'smtp.example.org', port: 465, user: 'ada@example.org' },
  imap: { host: 'imap.example.org', port: 993, user: 'ada@example.org' },
  passwordSecret: 'mail-password',
  // Mail to any other address is refused.
  allowRecipients: [BOOKKEEPER],
};

/** Larger attachments are not mailed. */
const MAX_BYTES = 500_000;

type Found = { name: string };
type Invoice = Found & { base64: string };

export default workflow({
  name: 'invoices-to-mail',
  uses: { files: { folders: [INVOICES] }, mail: { account: ACCOUNT } },
  topics: ['invoice.found', 'invoice.sent'],
  producers: {
    look: {
      schedule: { every: '5m' },
      publishes: ['invoice.found'],
      async run(ctx) {
        const { entries } = await ctx.tools.files.list({ path: INVOICES });
        for (const { name, kind, bytes, modifiedAt } of entries) {
          if (kind !== 'file' || !name.endsWith('.pdf')) continue;
          // A newer file may still be incomplete.
          if (ctx.now - Date.parse(modifiedAt) < 60_000) continue;
          if (bytes > MAX_BYTES) console.warn(`${name} is too large to mail.`);
          else {
            // The same id is the same event, so each version of a file is mailed once.
            const id = `${name} ${modifiedAt}`;
            await ctx.publish('invoice.found', { id, title: name, payload: { name } });
          }
        }
      },
    },
  },
  consumers: {
    send: {
      subscribes: 'invoice.found',
      publishes: ['invoice.sent'],
      async prepare(ctx) {
        const [event] = await ctx.peek<Found>('invoice.found', { limit: 1 });
        if (!event) return;
        const { name } = event.payload;
        // Read here: mutate() can only make its one call.
        const file = await ctx.tools.files.read({
          path: `${INVOICES}/${name}`,
          encoding: 'base64',
        });
        const data: Invoice = { name, base64: file.base64 };
        return { reservations: [event], data, ui: { title: `Send ${name}` } };
      },
      async mutate(ctx, { data }: Prepared<Invoice>) {
        await ctx.tools.mail.send({
          to: BOOKKEEPER,
          subject: `Invoice ${data.name}`,
          text: 'Please book the attached invoice.',
          attachments: [
            { filename: data.name, contentBase64: data.base64, contentType: 'application/pdf' },
          ],
        });
      },
      async next(ctx, prepared: Prepared<Invoice>, outcome) {
        // If the mail was skipped, its outcome is unknown: leave it out of the ledger.
        if (outcome.status !== 'applied') return;
        const { name } = prepared.data;
        const id = prepared.reservations[0]?.messageId ?? name;
        const payload = { name, sentAt: new Date(ctx.now).toISOString() };
        await ctx.publish('invoice.sent', { id, title: name, payload });
      },
    },
    book: {
      subscribes: 'invoice.sent',
      async prepare(ctx) {
        const [event] = await ctx.peek('invoice.sent', { limit: 1 });
        if (!event) return;
        return { reservations: [event], data: event.payload, ui: { title: `Book ${event.title}` } };
      },
      async mutate(ctx, { data }: Prepared<{ name: string; sentAt: string }>) {
        // After a crash Holdfast looks for the marker line to check whether this was written.
        await ctx.tools.files.append({
          path: LEDGER,
          text: `${data.sentAt},"${data.name.replaceAll('"', '""')}",${BOOKKEEPER}`,
          marker: '# {id}',
        });
      },
    },
  },
});
