// Every Monday at eight, adds up last week's time sheet by project and mails the sums.
//
// The time sheet has lines like: 2026-03-02,Garden gate,3.5
//
// Before the first run: holdfast secret set mail-password
import { workflow, type Prepared } from 'holdfast';

const SHEET = '~/Work/hours.csv';
const FOLDER = '~/Work';
const READER = 'office@example.org';
const ACCOUNT = {
  from: 'Ada <ada@example.org>',
  smtp: { host: 'smtp.example.org', port: 465, user: 'ada@example.org' },
  imap: { host: 'imap.example.org', port: 993, user: 'ada@example.org' },
  passwordSecret: 'mail-password',
  allowRecipients: [READER],
};
const DAY = 24 * 60 * 60 * 1000;

type Week = { from: string; to: string };
type Report = Week & { projects: { name: string; hours: number }[] };

export default workflow({
  name: 'weekly-report',
  uses: { files: { folders: [FOLDER], readOnly: true }, mail: { account: ACCOUNT } },
  topics: ['week.over'],
  producers: {
    monday: {
      schedule: { cron: '0 8 * * 1', timezone: 'Europe/Berlin', missed: 'latest' },
      publishes: ['week.over'],
      async run(ctx) {
        const from = dayOf(ctx.now - 7 * DAY);
        const payload: Week = { from, to: dayOf(ctx.now - DAY) };
        await ctx.publish('week.over', { id: from, title: `Week of ${from}`, payload });
      },
    },
  },
  consumers: {
    report: {
      subscribes: 'week.over',
      async prepare(ctx) {
        const [event] = await ctx.peek<Week>('week.over', { limit: 1 });
        if (!event) return;
        const { from, to } = event.payload;
        const { text } = await ctx.tools.files.read({ path: SHEET });
        const hours = new Map<string, number>();
        for (const [index, line] of text.trim().split('\n').entries()) {
          const [day = '', project = '', spent = ''] = line.split(',');
          // Stop at an invalid line instead of mailing a wrong sum.
          if (!Number.isFinite(Number.parseFloat(spent))) {
            throw new Error(`Line ${index + 1} of the time sheet is invalid: ${line}`);
          }
          if (day < from || day > to) continue;
          hours.set(project, (hours.get(project) ?? 0) + Number.parseFloat(spent));
        }
        const projects = [...hours].map(([name, sum]) => ({ name, hours: sum }));
        const data: Report = { from, to, projects };
        return { reservations: [event], data, ui: { title: event.title } };
      },
      async mutate(ctx, { data }: Prepared<Report>) {
        const lines = data.projects.map(({ name, hours }) => `${hours.toFixed(2)} h  ${name}`);
        await ctx.tools.mail.send({
          to: READER,
          subject: `Hours from ${data.from} to ${data.to}`,
          text: lines.length === 0 ? 'No hours.\n' : `${lines.join('\n')}\n`,
        });
      },
    },
  },
});

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
