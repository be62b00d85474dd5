// The workflow of a cell: a producer, a consumer with an effect, and a consumer that only counts.
import type { EffectKind } from '#test/crash/matrix/cell.ts';

export interface CellAddresses {
  readonly cellId: string;
  readonly outsideUrl: string;
  readonly smtpPort: number;
  readonly folder: string;
  /** How long a check that finds nothing does not prove that the effect did not happen. */
  readonly settleMs: number;
}

export function workflowSource(effect: EffectKind, where: CellAddresses): string {
  const { uses, mutate } = mutationOf(effect, where);
  const producers = effect.startsWith('webhook>') ? '' : PRODUCERS;
  return `import { workflow } from 'holdfast';

export default workflow({
  name: 'Cell',
  uses: ${JSON.stringify(uses)},
  topics: ['found', 'done'],
  ${producers}
  consumers: {
    act: {
      subscribes: ['found'],
      publishes: ['done'],
      async prepare(ctx, state) {
        const [event] = await ctx.peek('found', { limit: 1 });
        if (!event) return { reservations: [] };
        const { n } = event.payload;
        return { reservations: [event], data: { n, all: [...(state ?? []), n] }, ui: { title: event.title } };
      },
      async mutate(ctx, { data: { n } }) {
        ${mutate}
      },
      async next(ctx, { data: { n, all } }, outcome) {
        await ctx.publish('done', { id: 'd' + n, title: 'Done ' + n, payload: { n, outcome } });
        return all;
      },
    },
    tally: {
      subscribes: ['done'],
      async prepare(ctx, state) {
        const [event] = await ctx.peek('done', { limit: 1 });
        return event
          ? { reservations: [event], data: [...(state ?? []), event.payload.n] }
          : { reservations: [] };
      },
      async next(ctx, { data }) {
        return data;
      },
    },
  },
});
`;
}

const PRODUCERS = `producers: {
    find: {
      schedule: { every: '1h' },
      publishes: ['found'],
      async run(ctx, state) {
        if (state !== null) return state;
        for (const n of [1, 2]) await ctx.publish('found', { id: 'f' + n, title: 'Order ' + n, payload: { n } });
        return { published: 2 };
      },
    },
  },`;

interface Mutation {
  readonly uses: { readonly [tool: string]: unknown };
  readonly mutate: string;
}

function mutationOf(effect: EffectKind, where: CellAddresses): Mutation {
  const { cellId, folder } = where;
  const path = (text: string): string => `${JSON.stringify(`${folder}/`)} + ${text}`;
  switch (effect) {
    case 'http.post':
    case 'http.post+reconcile':
    case 'http.put+reconcile':
    case 'webhook>http.post':
      return httpMutation(effect, where);
    case 'files.write':
      return filesMutation(
        folder,
        `write({ path: ${path("n + '/new.txt'")}, text: 'order ' + n })`,
      );
    case 'files.append':
      return filesMutation(folder, `append({ path: ${path("'log.txt'")}, text: 'order ' + n })`);
    case 'files.move': {
      const ends = `from: ${path("n + '/old.txt'")}, to: ${path("n + '/new.txt'")}`;
      return filesMutation(folder, `move({ ${ends} })`);
    }
    case 'mail.send':
      return mailMutation(where);
    case 'ask':
      return {
        uses: { ask: {} },
        mutate: `await ctx.tools.ask.question({ question: 'Order ' + n + ' of ${cellId}?' });`,
      };
  }
}

function httpMutation(
  effect: EffectKind,
  { outsideUrl, cellId, settleMs }: CellAddresses,
): Mutation {
  const url = `${outsideUrl}/act/${cellId}`;
  const reconcile = `reconcile: {
          url: '${outsideUrl}/look/${cellId}',
          query: 'key',
          happenedWhen: { jsonPath: 'count', equals: 1 },
          didNotHappenWhen: { jsonPath: 'count', equals: 0 },
          settleMs: ${settleMs},
        },`;
  return {
    uses: { http: { hosts: [new URL(outsideUrl).host] } },
    mutate: `await ctx.tools.http.${effect.startsWith('http.put') ? 'put' : 'post'}({
          url: '${url}',
          json: { n },
          ${effect.endsWith('+reconcile') ? reconcile : ''}
        });`,
  };
}

function filesMutation(folder: string, call: string): Mutation {
  return { uses: { files: { folders: [folder] } }, mutate: `await ctx.tools.files.${call};` };
}

function mailMutation({ smtpPort, cellId }: CellAddresses): Mutation {
  const server = { host: '127.0.0.1', user: 'ada' };
  const account = {
    smtp: { ...server, port: smtpPort },
    // Nothing listens on port 1, so the outcome of a mail cannot be checked.
    imap: { ...server, port: 1 },
    from: 'ada@example.org',
    passwordSecret: 'mail',
    sentCopy: 'server',
  };
  return {
    uses: { mail: { account } },
    mutate: `await ctx.tools.mail.send({ to: '${cellId}@example.org', subject: 'order ' + n, text: 'It is time.' });`,
  };
}
