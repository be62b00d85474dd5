// The workflow of a cell: a producer, a consumer that acts outside, and one that only counts.
import type { EffectKind } from '#test/crash/matrix/cell.ts';

export interface Surroundings {
  readonly cellId: string;
  readonly outsideUrl: string;
  readonly smtpPort: number;
  readonly folder: string;
  /** How long "not there" may still mean "not yet". */
  readonly settleMs: number;
}

export function workflowSource(effect: EffectKind, where: Surroundings): string {
  const { uses, mutate } = actOf(effect, where);
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
        for (const n of [1, 2]) await ctx.publish('found', { id: 'f' + n, title: 'Thing ' + n, payload: { n } });
        return { published: 2 };
      },
    },
  },`;

interface Act {
  readonly uses: { readonly [tool: string]: unknown };
  readonly mutate: string;
}

function actOf(effect: EffectKind, where: Surroundings): Act {
  const { cellId, folder } = where;
  const path = (text: string): string => `${JSON.stringify(`${folder}/`)} + ${text}`;
  switch (effect) {
    case 'http.post':
    case 'http.post+reconcile':
    case 'http.put+reconcile':
    case 'webhook>http.post':
      return httpAct(effect, where);
    case 'files.write':
      return filesAct(folder, `write({ path: ${path("n + '/new.txt'")}, text: 'thing ' + n })`);
    case 'files.append':
      return filesAct(folder, `append({ path: ${path("'log.txt'")}, text: 'thing ' + n })`);
    case 'files.move': {
      const ends = `from: ${path("n + '/old.txt'")}, to: ${path("n + '/new.txt'")}`;
      return filesAct(folder, `move({ ${ends} })`);
    }
    case 'mail.send':
      return mailAct(where);
    case 'ask':
      return {
        uses: { ask: {} },
        mutate: `await ctx.tools.ask.question({ question: 'Thing ' + n + ' of ${cellId}?' });`,
      };
  }
}

function httpAct(effect: EffectKind, { outsideUrl, cellId, settleMs }: Surroundings): Act {
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

function filesAct(folder: string, call: string): Act {
  return { uses: { files: { folders: [folder] } }, mutate: `await ctx.tools.files.${call};` };
}

function mailAct({ smtpPort, cellId }: Surroundings): Act {
  const server = { host: '127.0.0.1', user: 'ada' };
  const account = {
    smtp: { ...server, port: smtpPort },
    // Nobody listens there: a mail that was lost from sight cannot be looked for.
    imap: { ...server, port: 1 },
    from: 'ada@example.org',
    passwordSecret: 'mail',
    sentCopy: 'server',
  };
  return {
    uses: { mail: { account } },
    mutate: `await ctx.tools.mail.send({ to: '${cellId}@example.org', subject: 'thing ' + n, text: 'It is time.' });`,
  };
}
