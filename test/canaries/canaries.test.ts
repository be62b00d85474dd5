// Uses every secret with success, failure and unknown outcome, then searches all files, logs, API
// answers, synced rows and command output for it.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startHttpServer } from '#main/api/transport/http-server.ts';
import { ensureToken, tokenPath } from '#main/boundary/token.ts';
import { openKeychain, type Keychain } from '#main/data-folder/open-keychain.ts';
import type { Host } from '#main/host/host.ts';
import { createLog } from '#main/host/log.ts';
import { secretUses, sourceOf } from '#test/canaries/secret-uses.ts';
import { useHooks } from '#test/canaries/hook-secrets.ts';
import { filesUnder, search, type Canary } from '#test/canaries/search.ts';
import { holdfast } from '#test/cli/holdfast.ts';
import { succeed } from '#test/support/api-calls.ts';
import { dumpRows } from '#test/support/dump-rows.ts';
import { eventually } from '#test/support/eventually.ts';
import { pairHosts, startHost, untilEqual, untilLive } from '#test/support/paired-hosts.ts';
import { writeRegistry } from '#test/support/runner-files.ts';
import { tempFolder } from '#test/support/temp-folder.ts';
import { replyError, startSmtpServer } from '#test/tools/mail/smtp-server.ts';

const canary = (name: string): Canary => ({
  name,
  value: `cn-${randomBytes(15).toString('base64url')}`,
});

const SECRETS = {
  'http-token': canary('http-token'),
  'http-key': canary('http-key'),
  'http-login': canary('http-login'),
  'mail-password': canary('mail-password'),
  'mail-wrong': canary('mail-wrong'),
  'script-key': canary('script-key'),
} as const;
const ENVIRONMENT = canary('environment');

/** Also writes the key outside of the data folder, which shows that the script really had it. */
const scriptFor = (outside: string): string =>
  `env; echo "key=$KEY"; echo "$KEY" >&2; printf %s "$KEY" | base64; printf '%s\\n' "$KEY" >> ${join(outside, 'keys')}`;

test('[CN-1] [CN-2] [CN-3] [CN-4] [CN-5] [CN-6] no secret is readable in files, logs, answers, synced rows, exports, backups or command output', async () => {
  process.env['HOLDFAST_CANARY_KEY'] = ENVIRONMENT.value;
  onTestFinished(() => void delete process.env['HOLDFAST_CANARY_KEY']);
  const sealed: Canary[] = [];
  const here = await startDevice('here', sealed);
  const there = await startDevice('there', sealed);
  const server = await startHttpServer({ host: here.host, port: 0 });
  onTestFinished(() => server.close());
  const { link } = await succeed(here.host.dispatch, 'devices.invite', {});
  await pairHosts(here.host, there.host);
  await untilLive(here.host, there.host);

  const seen = await useEverySecret(here.host, here.outside);
  const hookSecrets = await useHooks({ host: here.host, url: server.url, token: here.token });
  await untilEqual(here.host, there.host);

  // Each secret reached its destination; otherwise finding none would prove nothing.
  for (const { name, value } of Object.values(SECRETS)) {
    expect(seen.join('\n').includes(value), `${name} was never used`).toBe(true);
  }
  const invitation = new URL(link).searchParams.get('token') ?? link;
  const canaries: Canary[] = [
    ...Object.values(SECRETS),
    ENVIRONMENT,
    ...hookSecrets,
    ...sealed,
    { name: 'invitation', value: invitation },
  ];
  const tokens = [here, there].map(({ token }, n) => ({ name: `token ${n}`, value: token }));
  expect(sealed.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['here: private key', 'there: private key', 'here: secret']),
  );

  // Files are searched while the hosts run, so that the WAL is included.
  for (const { dir } of [here, there]) {
    expect(search(canaries, filesUnder(dir))).toEqual([]);
    const holders = search(tokens, filesUnder(dir)).map(({ where }) => where);
    expect(holders).toEqual(['api-token']);
    for (const file of ['secrets.json', 'device-key.json', 'api-token', 'holdfast.db']) {
      expect(statSync(join(dir, file)).mode & 0o077, file).toBe(0);
    }
  }
  const answers = await everyAnswer(here.host);
  const answersThere = await everyAnswer(there.host);
  const rows = Buffer.from(JSON.stringify(dumpRows(there.host.folder.db)));
  const exported = join(tempFolder(), 'export');
  expect((await holdfast('export', exported, '--data', here.dir)).code).toBe(0);
  const { file: backup } = await succeed(here.host.dispatch, 'backups.make', {});
  expect(search(canaries, [...filesUnder(exported), ['backup', readFileSync(backup)]])).toEqual([]);
  const doctor = await holdfast('doctor', '--json', '--data', here.dir);
  const listed = await holdfast('inbox', '--data', here.dir);
  const outputs = [doctor, listed].map(({ stdout, stderr }) => Buffer.from(stdout + stderr));
  const places: [string, Buffer][] = [
    ['answers', answers],
    ['answers of the other device', answersThere],
    ['synced rows', rows],
    ['doctor', outputs[0] as Buffer],
    ['inbox of the command line', outputs[1] as Buffer],
  ];
  expect(search([...canaries, ...tokens], places)).toEqual([]);

  // The search works: it finds a text that is not secret.
  const marker = [{ name: 'marker', value: 'visible-marker' }];
  const found = search(marker, [...filesUnder(here.dir), ...filesUnder(there.dir), ...places]);
  expect(found.map(({ where }) => where)).toEqual(
    expect.arrayContaining(['answers', 'answers of the other device', 'synced rows']),
  );
  expect(found.some(({ where }) => where.startsWith('holdfast.db'))).toBe(true);
  expect(readFileSync(join(here.dir, 'logs/host.log'), 'utf8')).not.toBe('');
  expect(readFileSync(tokenPath(here.dir), 'utf8')).toBe(here.token);
}, 120_000);

interface Device {
  readonly dir: string;
  readonly host: Host;
  readonly token: string;
  /** Where its scripts write. */
  readonly outside: string;
}

/** A host whose keychain records in `sealed` everything that it encrypts. */
async function startDevice(name: string, sealed: Canary[]): Promise<Device> {
  const [dir, outside] = [tempFolder(), tempFolder()];
  const script = scriptFor(outside);
  writeRegistry(dir, {
    tell: { sh: script, env: { pass: ['PATH'], secrets: { KEY: 'script-key' } } },
    fail: { sh: `${script}; exit 3`, env: { pass: ['PATH'], secrets: { KEY: 'script-key' } } },
  });
  const token = ensureToken(dir);
  const host = startHost(dir, {
    createLog: (masker) => createLog(dir, masker),
    cipher: await openKeychain(dir, keychain(name, sealed)),
    runner: { isEnabled: true },
  });
  return { dir, host, token, outside };
}

function keychain(device: string, sealed: Canary[]): Keychain {
  const key = randomBytes(32);
  return {
    encrypt: async (plain) => {
      const isKey = plain.includes('PRIVATE KEY');
      // One line of a PEM is enough, and line breaks may be encoded differently elsewhere.
      const value = isKey ? (plain.split('\n')[1] ?? plain) : plain;
      sealed.push({ name: `${device}: ${isKey ? 'private key' : 'secret'}`, value });
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, iv);
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64');
    },
    decrypt: async (text) => {
      const bytes = Buffer.from(text, 'base64');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
      decipher.setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString();
    },
  };
}

/** Runs every case until it has ended or waits in the inbox. Returns what the outside received. */
async function useEverySecret(host: Host, outside: string): Promise<string[]> {
  const seen: string[] = [];
  const folder = tempFolder();
  const echo = await startEcho(seen);
  const post = await startSmtpServer({
    onAuth: ({ username, password }, _session, done) => {
      seen.push(password ?? '');
      if (password === SECRETS['mail-password'].value) done(null, { user: username });
      else done(replyError(535, `5.7.8 ${username} is not allowed with ${password}`));
    },
  });
  for (const [name, { value }] of Object.entries(SECRETS)) {
    const stored = name === 'http-login' ? `ada:${value}` : value;
    await succeed(host.dispatch, 'secrets.set', { name, value: stored });
  }
  const cases = secretUses({ echo, smtpPort: post.port, folder });
  for (const [name, one] of Object.entries(cases)) {
    const path = join(folder, `${name}.ts`);
    writeFileSync(path, sourceOf(name, one));
    const { workflowId } = await succeed(host.dispatch, 'workflows.add', { path });
    const event = { workflowId, topic: 'in', messageId: name, title: name, payload: name };
    await succeed(host.dispatch, 'events.publish', event);
  }
  await eventually(async () => {
    const { runs } = await succeed(host.dispatch, 'handlerRuns.list', { limit: 200 });
    const begun = new Set(runs.map(({ workflowName }) => workflowName));
    expect(begun.size).toBe(Object.keys(cases).length);
    expect(runs.filter(({ phase }) => phase === 'mutating' || phase === 'prepared')).toEqual([]);
    const { items } = await succeed(host.dispatch, 'inbox.list', {});
    expect(new Set(items.map(({ workflowName }) => workflowName))).toEqual(
      new Set([
        'bearer-unknown',
        'header-unknown',
        'mail-no',
        'mail-read',
        'missing-secret',
        ...retriedFailures(items),
      ]),
    );
  });
  await host.engine.idle();
  // The masked name in the log shows that the script had its key and printed it.
  const { jobs } = await succeed(host.dispatch, 'jobs.list', {});
  expect(jobs.map(({ status }) => status).toSorted()).toEqual(['failed', 'succeeded']);
  for (const { id } of jobs) {
    const { data } = await succeed(host.dispatch, 'jobs.log', { jobId: id });
    expect(data).toContain('key=•••(script-key)');
    expect(data).not.toContain('HOLDFAST_CANARY_KEY');
  }
  const keys = readFileSync(join(outside, 'keys'), 'utf8').split('\n').filter(Boolean);
  expect(keys).toHaveLength(jobs.length);
  return [...seen, ...keys];
}

/** Cases with retried failures: they may or may not be in the inbox yet. */
function retriedFailures(items: readonly { readonly workflowName: string }[]): string[] {
  return items.map(({ workflowName }) => workflowName).filter((name) => name.endsWith('-no'));
}

async function startEcho(seen: string[]): Promise<string> {
  const server = createServer((request, response) => {
    const sent = JSON.stringify(request.headers);
    const login = /^Basic (.*)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    seen.push(sent, Buffer.from(login, 'base64').toString());
    response.statusCode = request.url === '/ok' ? 200 : request.url === '/no' ? 400 : 500;
    response.setHeader('Content-Type', 'application/json');
    response.setHeader('X-Echo', request.headers.authorization ?? '');
    response.end(
      JSON.stringify({
        visible: 'visible-marker',
        youSent: sent,
        login: Buffer.from(login, 'base64').toString(),
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Answers of the API about workflows, runs, sessions, inputs, jobs, devices, hooks and secrets. */
async function everyAnswer({ dispatch }: Host): Promise<Buffer> {
  const all: unknown[] = [];
  const ask = async (name: string, input: object): Promise<unknown> => {
    const answer = await dispatch(name, input);
    all.push(answer);
    return answer.ok ? answer.output : {};
  };
  for (const name of [
    'host.info',
    'inbox.list',
    'devices.list',
    'secrets.names',
    'runner.overview',
    'hooks.list',
  ]) {
    await ask(name, {});
  }
  await ask('workflows.list', { limit: 200 });
  const { runs } = (await ask('handlerRuns.list', { limit: 200 })) as { runs: { id: string }[] };
  for (const { id } of runs) await ask('handlerRuns.get', { handlerRunId: id });
  const sessions = (await ask('runs.list', { limit: 200 })) as { runs: { id: string }[] };
  for (const { id } of sessions.runs) await ask('runs.fetchEvents', { runId: id });
  const { inputs } = (await ask('inputs.list', {})) as { inputs: { id: string }[] };
  for (const { id } of inputs) await ask('inputs.get', { inputId: id });
  const { jobs } = (await ask('jobs.list', {})) as { jobs: { id: string }[] };
  for (const { id } of jobs) {
    await ask('jobs.get', { jobId: id });
    await ask('jobs.log', { jobId: id });
  }
  expect(all.length).toBeGreaterThan(20);
  expect(all.filter((answer) => !(answer as { ok: boolean }).ok)).toEqual([]);
  return Buffer.from(JSON.stringify(all));
}
