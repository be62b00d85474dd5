// Workflow files as text: a scenario writes only the part that its story is about.

export interface WorkflowParts {
  readonly name: string;
  /** The text of `uses`. */
  readonly uses?: string;
  readonly topics?: readonly string[];
  /** The text between the braces of `producers`. */
  readonly producers?: string;
  /** The text between the braces of `consumers`. */
  readonly consumers?: string;
}

export function workflowSource({
  name,
  uses = '{}',
  topics = ['in'],
  producers = '',
  consumers = '',
}: WorkflowParts): string {
  return `import { workflow } from 'holdfast';
export default workflow({
  name: ${JSON.stringify(name)},
  uses: ${uses},
  topics: ${JSON.stringify(topics)},
  producers: {${producers}},
  consumers: {${consumers}},
});
`;
}

export interface ConsumerParts {
  readonly topic?: string | readonly string[];
  readonly publishes?: readonly string[];
  /** The body of `prepare`; by default it takes the oldest event. */
  readonly prepare?: string;
  /** The body of `mutate`. */
  readonly mutate?: string;
  /** The body of `next`. */
  readonly next?: string;
}

/** The text of one consumer. */
export function consumer(name: string, parts: ConsumerParts): string {
  const { topic = 'in', publishes, mutate, next } = parts;
  const { prepare = takeOldest(typeof topic === 'string' ? topic : topic[0]) } = parts;
  return `
    ${name}: {
      subscribes: ${JSON.stringify(topic)},
      ${publishes ? `publishes: ${JSON.stringify(publishes)},` : ''}
      async prepare(ctx, state) { ${prepare} },
      ${mutate === undefined ? '' : `async mutate(ctx, prepared) { ${mutate} },`}
      ${next === undefined ? '' : `async next(ctx, prepared, outcome) { ${next} },`}
    },`;
}

export function takeOldest(topic = 'in'): string {
  return `
        const [event] = await ctx.peek('${topic}', { limit: 1 });
        if (!event) return;
        return { reservations: [event], data: event.payload, ui: { title: event.title } };`;
}

/** Takes as many events as there are, once there are so many. */
export function takeAtLeast(count: number, topic = 'in'): string {
  return `
        const events = await ctx.peek('${topic}', { limit: 100 });
        if (events.length < ${count}) return;
        return { reservations: events, data: events.map(({ payload }) => payload) };`;
}

export interface ProducerParts {
  readonly schedule?: string;
  readonly publishes?: readonly string[];
  readonly run: string;
}

/** The text of one producer. Its default schedule never comes during a test. */
export function producer(name: string, parts: ProducerParts): string {
  const { schedule = `{ cron: '0 0 1 1 *' }`, publishes = ['in'], run } = parts;
  return `
    ${name}: {
      schedule: ${schedule},
      publishes: ${JSON.stringify(publishes)},
      async run(ctx, state) { ${run} },
    },`;
}
