// A workflow that consumes events and has no effects.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export function writeWaiterWorkflow(folder: string): string {
  const path = join(folder, 'waiter.ts');
  writeFileSync(path, SOURCE);
  return path;
}

const SOURCE = `import { workflow } from 'holdfast';

export default workflow({
  name: 'Waiter',
  topics: ['in'],
  producers: { never: { schedule: { cron: '0 0 1 1 *' }, publishes: ['in'], run() {} } },
  consumers: {
    take: {
      subscribes: 'in',
      async prepare(ctx) {
        const [event] = await ctx.peek('in', { limit: 1 });
        return event ? { reservations: [event], ui: { title: event.title } } : {};
      },
      async next(ctx, prepared) {
        return { last: prepared.reservations[0].title };
      },
    },
  },
});
`;
