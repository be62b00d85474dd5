// Writes figures of several services, read over HTTP, to one Markdown file every evening.
import { workflow, type Prepared } from 'holdfast';

const REPORTS = '~/Reports';
const SERVICES_HOST = 'status.example.org';
const SERVICES = [
  { name: 'Orders', url: 'https://status.example.org/orders' },
  { name: 'Returns', url: 'https://status.example.org/returns' },
];

type Report = { day: string; rows: { name: string; count: number }[] };

export default workflow({
  name: 'daily-report',
  uses: { http: { hosts: [SERVICES_HOST] }, files: { folders: [REPORTS] } },
  topics: ['report.due'],
  producers: {
    evening: {
      schedule: { cron: '0 18 * * 1-5', timezone: 'Europe/Berlin' },
      publishes: ['report.due'],
      async run(ctx) {
        // One report per day, because the day is the id.
        const day = new Date(ctx.now).toISOString().slice(0, 10);
        await ctx.publish('report.due', { id: day, title: `Report of ${day}`, payload: { day } });
      },
    },
  },
  consumers: {
    write: {
      subscribes: 'report.due',
      async prepare(ctx) {
        const [event] = await ctx.peek<{ day: string }>('report.due', { limit: 1 });
        if (!event) return;
        // Reads all services concurrently. If one does not reply, the run fails before its effect, and
        // Holdfast retries it with backoff.
        const rows = await Promise.all(
          SERVICES.map(async ({ name, url }) => {
            const { json } = await ctx.tools.http.get<{ count: number }>({ url });
            return { name, count: json.count };
          }),
        );
        const data: Report = { day: event.payload.day, rows };
        return { reservations: [event], data, ui: { title: event.title } };
      },
      async mutate(ctx, { data }: Prepared<Report>) {
        const rows = data.rows.map(({ name, count }) => `| ${name} | ${count} |`);
        // The write is atomic. After a crash Holdfast checks it by its content.
        await ctx.tools.files.write({
          path: `${REPORTS}/${data.day}.md`,
          text: [`# ${data.day}`, '', '| | count |', '| --- | --- |', ...rows, ''].join('\n'),
        });
      },
    },
  },
});
