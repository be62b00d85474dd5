// One workflow for each use of a secret that succeeds, fails or has an unknown outcome. Each logs,
// publishes and stores in its state everything that it receives.

export interface Places {
  /** Echoes the request: /ok with status 200, /no with 400, /unknown with 500. */
  readonly echo: string;
  readonly smtpPort: number;
  readonly folder: string;
}

interface Case {
  readonly uses: object;
  readonly read?: string;
  readonly mutate: string;
}

export function secretUses({ echo, smtpPort, folder }: Places): { readonly [name: string]: Case } {
  const host = new URL(echo).host;
  const http = { http: { hosts: [host] } };
  const post = (path: string, auth: string, method = 'post'): string =>
    `http.${method}({ url: '${echo}${path}', auth: ${auth}, headers: { 'X-Other': 'plain' }, json: { visible: 'visible-marker' } })`;
  const bearer = `{ bearerSecret: 'http-token' }`;
  const basic = `{ basicSecret: 'http-login' }`;
  const headers = `{ headerSecrets: { 'X-Key': 'http-key' } }`;
  const account = (passwordSecret: string): object => ({
    from: 'Ada <ada@example.org>',
    smtp: { host: '127.0.0.1', port: smtpPort, user: 'ada' },
    imap: { host: '127.0.0.1', port: 1, user: 'ada' },
    passwordSecret,
  });
  const mail = `mail.send({ to: 'bo@example.org', subject: 'Hello', text: 'visible-marker' })`;
  const read = (path: string, auth: string): string =>
    `ctx.tools.http.get({ url: '${echo}${path}', auth: ${auth} })`;
  return {
    'bearer-ok': { uses: http, read: read('/ok', bearer), mutate: post('/ok', bearer) },
    'bearer-no': { uses: http, read: read('/no', bearer), mutate: post('/no', bearer, 'put') },
    'bearer-unknown': { uses: http, mutate: post('/unknown', bearer, 'patch') },
    'basic-ok': { uses: http, read: read('/ok', basic), mutate: post('/ok', basic, 'delete') },
    'basic-no': { uses: http, read: read('/no', basic), mutate: post('/no', basic) },
    'header-ok': { uses: http, read: read('/ok', headers), mutate: post('/ok', headers) },
    'header-unknown': { uses: http, mutate: post('/unknown', headers) },
    'feed-no': {
      uses: { feed: { hosts: [host] }, notify: {} },
      read: `ctx.tools.feed.read({ url: '${echo}/no', auth: ${bearer} })`,
      mutate: `notify.show({ title: 'visible-marker' })`,
    },
    'mail-ok': { uses: { mail: { account: account('mail-password') } }, mutate: mail },
    'mail-no': { uses: { mail: { account: account('mail-wrong') } }, mutate: mail },
    'mail-read': {
      uses: { mail: { account: account('mail-password') }, ask: {} },
      read: `ctx.tools.mail.search({})`,
      mutate: `ask.question({ question: 'visible-marker?' })`,
    },
    'files-ok': {
      uses: { files: { folders: [folder] } },
      mutate: `files.write({ path: '${folder}/a.txt', text: 'visible-marker' })`,
    },
    'files-no': {
      uses: { files: { folders: [folder] } },
      mutate: `files.append({ path: '/nowhere/a.txt', text: 'x' })`,
    },
    'script-ok': {
      uses: { runner: { scripts: ['tell'] } },
      mutate: `runner.run({ script: 'tell', repo: 'main' })`,
    },
    'script-no': {
      uses: { runner: { scripts: ['fail'] } },
      mutate: `runner.run({ script: 'fail', repo: 'main' })`,
    },
    'missing-secret': { uses: http, mutate: post('/ok', `{ bearerSecret: 'is-not-there' }`) },
  };
}

export function sourceOf(name: string, { uses, read, mutate }: Case): string {
  return `import { workflow } from 'holdfast';
export default workflow({
  name: '${name}',
  uses: ${JSON.stringify(uses)},
  topics: ['in', 'out'],
  consumers: {
    act: {
      subscribes: 'in',
      publishes: ['out'],
      async prepare(ctx) {
        const [event] = await ctx.peek('in', { limit: 1 });
        if (!event) return;
        let seen = null;
        try {
          seen = ${read === undefined ? 'null' : `await ${read}`};
        } catch (error) {
          seen = String(error.stack) + error.message;
        }
        console.log('read', JSON.stringify(seen));
        return { reservations: [event], data: { seen }, ui: { title: JSON.stringify(seen)?.slice(0, 150) ?? '' } };
      },
      async mutate(ctx, prepared) {
        console.log('mutate', JSON.stringify(prepared));
        await ctx.tools.${mutate};
      },
      async next(ctx, prepared, outcome) {
        console.log('next', JSON.stringify(outcome));
        await ctx.publish('out', { id: 'o', title: 'out', payload: { prepared, outcome } });
        return { prepared, outcome };
      },
    },
    take: {
      subscribes: 'out',
      async prepare(ctx) {
        return { reservations: await ctx.peek('out') };
      },
    },
  },
});
`;
}
