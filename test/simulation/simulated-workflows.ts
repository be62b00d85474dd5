// The workflows of every simulation: the effects of `asks` can be checked, those of `shouts` cannot.
export const WORKFLOWS = ['asks', 'shouts'] as const;
export type WorkflowName = (typeof WORKFLOWS)[number];

export const METHOD_OF = { asks: 'post', shouts: 'shout' } as const;

export function sourceOf(name: WorkflowName): string {
  return `import { workflow } from 'holdfast';

export default workflow({
  name: '${name}',
  uses: { world: {} },
  topics: ['in', 'out'],
  consumers: {
    act: {
      subscribes: ['in'],
      publishes: ['out'],
      async prepare(ctx) {
        const [event] = await ctx.peek('in', { limit: 1 });
        return event ? { reservations: [event], data: event.payload } : { reservations: [] };
      },
      async mutate(ctx, { data }) {
        await ctx.tools.world.${METHOD_OF[name]}(data);
      },
      async next(ctx, prepared, outcome) {
        const [event] = prepared.reservations;
        await ctx.publish('out', { id: event.messageId, title: 'Done', payload: { status: outcome.status } });
      },
    },
  },
});
`;
}
