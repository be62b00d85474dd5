// Runs your backup script every night at two and notifies you if it fails.
//
// The script must be in the runner's registry (docs/runner.md), runner.json:
//
//   { "repos": { "home": { "path": "~/backup" } },
//     "scripts": { "backup": { "title": "Back up", "executable": "backup.sh",
//       "args": { "day": { "type": "string", "pattern": "\\d{4}-\\d\\d-\\d\\d", "required": true } },
//       "timeoutSeconds": 3600 } } }
import { workflow, type Outcome, type Prepared } from 'holdfast';

type Job = { status: string; exitCode: number | null; tail: string };
type Night = { day: string };

export default workflow({
  name: 'nightly-backup',
  uses: { runner: { scripts: ['backup'] }, notify: {} },
  topics: ['backup.due', 'backup.failed'],
  producers: {
    night: {
      // If the machine was asleep at two, this runs once when it wakes.
      schedule: { cron: '0 2 * * *', timezone: 'Europe/Berlin', missed: 'latest' },
      publishes: ['backup.due'],
      async run(ctx) {
        const day = new Date(ctx.now).toISOString().slice(0, 10);
        await ctx.publish('backup.due', { id: day, title: `Backup of ${day}`, payload: { day } });
      },
    },
  },
  consumers: {
    backUp: {
      subscribes: 'backup.due',
      publishes: ['backup.failed'],
      async prepare(ctx) {
        const [event] = await ctx.peek<Night>('backup.due', { limit: 1 });
        if (!event) return;
        return { reservations: [event], data: event.payload, ui: { title: event.title } };
      },
      async mutate(ctx, { data }: Prepared<Night>) {
        // After a crash the job's record shows whether the script ran, so it does not run twice.
        await ctx.tools.runner.run({ script: 'backup', repo: 'home', args: { day: data.day } });
      },
      async next(ctx, { data }: Prepared<Night>, outcome: Outcome<Job>) {
        const job = outcome.status === 'applied' ? outcome.result : null;
        if (job?.status === 'succeeded') return { lastGood: data.day };
        const why = job?.tail.trim().split('\n').at(-1) ?? 'The outcome is unknown.';
        await ctx.publish('backup.failed', {
          id: data.day,
          title: `Backup of ${data.day}`,
          payload: { ...data, why },
        });
        return { lastBad: data.day };
      },
    },
    notify: {
      subscribes: 'backup.failed',
      async prepare(ctx) {
        const [event] = await ctx.peek('backup.failed', { limit: 1 });
        if (!event) return;
        return { reservations: [event], data: event.payload, ui: { title: event.title } };
      },
      async mutate(ctx, { data }: Prepared<Night & { why: string }>) {
        await ctx.tools.notify.show({ title: `No backup of ${data.day}`, body: data.why });
      },
    },
  },
});
