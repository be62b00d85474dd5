// Secrets are planted everywhere, used in every way, well and badly; then everything that is kept,
// logged, answered or synced is searched for them. Nothing may have one but the place for secrets,
// and there it is sealed.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startHttpServer } from '#main/api/http-server.ts';
import { ensureToken, tokenPath } from '#main/boundary/token.ts';
import type { Host } from '#main/host/host.ts';
import { createLog } from '#main/host/log.ts';
import type { Cipher } from '#main/secrets/secret-store.ts';
import { casesFor, sourceOf } from '#test/canaries/cases.ts';
import { useHooks } from '#test/canaries/hooks.ts';
import { filesUnder, search, type Canary } from '#test/canaries/search.ts';
import { holdfast } from '#test/cli/holdfast.ts';
import { succeed } from '#test/support/calls.ts';
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

const SCRIPT = 'env; echo "key=$KEY"; echo "$KEY" >&2; printf %s "$KEY" | base64';

test('[CN-1] [CN-2] [CN-3] [CN-4] [CN-5] no secret is anywhere but sealed in its place', async () => {
  process.env['HOLDFAST_CANARY_KEY'] = ENVIRONMENT.value;
  onTestFinished(() => void delete process.env['HOLDFAST_CANARY_KEY']);
  const sealed: Canary[] = [];
  const here = startDevice('here', sealed);
  const there = startDevice('there', sealed);
  const server = await startHttpServer({ host: here.host, port: 0 });
  onTestFinished(() => server.close());
  const { link } = await succeed(here.host.dispatch, 'devices.invite', {});
  await pairHosts(here.host, there.host);
  await untilLive(here.host, there.host);

  const seen = await useEverySecret(here.host);
  const ofHooks = await useHooks({ host: here.host, url: server.url, token: here.token });
  await untilEqual(here.host, there.host);

  // What was planted did get where it belongs; else nothing of this proves anything.
  for (const { name, value } of Object.values(SECRETS)) {
    expect(seen.join('\n').includes(value), `${name} was never used`).toBe(true);
  }
  const invitation = new URL(link).searchParams.get('token') ?? link;
  const canaries: Canary[] = [
    ...Object.values(SECRETS),
    ENVIRONMENT,
    ...ofHooks,
    ...sealed,
    { name: 'invitation', value: invitation },
  ];
  const tokens = [here, there].map(({ token }, n) => ({ name: `token ${n}`, value: token }));
  expect(sealed.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['here: private key', 'there: private key', 'here: secret']),
  );

  // Files first while the hosts run (with the WAL), then what they answer.
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
  const doctor = await holdfast('doctor', '--json', '--data', here.dir);
  const listed = await holdfast('inbox', '--data', here.dir);
  const said = [doctor, listed].map(({ stdout, stderr }) => Buffer.from(stdout + stderr));
  const places: [string, Buffer][] = [
    ['answers', answers],
    ['answers of the other device', answersThere],
    ['synced rows', rows],
    ['doctor', said[0] as Buffer],
    ['inbox of the command line', said[1] as Buffer],
  ];
  expect(search([...canaries, ...tokens], places)).toEqual([]);

  // The search can find: what is no secret is in all of these places.
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
}

/** Its keychain is ours, and tells what it was given to seal. */
function startDevice(name: string, sealed: Canary[]): Device {
  const dir = tempFolder();
  writeRegistry(dir, {
    tell: { sh: SCRIPT, env: { pass: ['PATH'], secrets: { KEY: 'script-key' } } },
    fail: { sh: `${SCRIPT}; exit 3`, env: { pass: ['PATH'], secrets: { KEY: 'script-key' } } },
  });
  const token = ensureToken(dir);
  const host = startHost(dir, {
    createLog: () => createLog(dir),
    cipher: keychain(name, sealed),
    runner: { isEnabled: true },
  });
  return { dir, host, token };
}

function keychain(device: string, sealed: Canary[]): Cipher {
  const key = randomBytes(32);
  return {
    encrypt: (plain) => {
      const isKey = plain.includes('PRIVATE KEY');
      // Of a PEM one line is enough, and only that stands alone in a text.
      const value = isKey ? (plain.split('\n')[1] ?? plain) : plain;
      sealed.push({ name: `${device}: ${isKey ? 'private key' : 'secret'}`, value });
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, iv);
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64');
    },
    decrypt: (text) => {
      const bytes = Buffer.from(text, 'base64');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
      decipher.setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString();
    },
  };
}

/** Runs every case to its end, or to its question; gives what the outside saw. */
async function useEverySecret(host: Host): Promise<string[]> {
  const seen: string[] = [];
  const folder = tempFolder();
  const echo = await startEcho(seen);
  const post = await startSmtpServer({
    onAuth: ({ username, password }, _session, done) => {
      seen.push(password ?? '');
      if (password === SECRETS['mail-password'].value) done(null, { user: username });
      else done(replyError(535, `5.7.8 ${username} may not come in with ${password}`));
    },
  });
  for (const [name, { value }] of Object.entries(SECRETS)) {
    const kept = name === 'http-login' ? `ada:${value}` : value;
    await succeed(host.dispatch, 'secrets.set', { name, value: kept });
  }
  const cases = casesFor({ echo, smtpPort: post.port, folder });
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
        'bearer-doubt',
        'header-doubt',
        'mail-no',
        'mail-read',
        'missing-secret',
        ...heldBack(items),
      ]),
    );
  });
  await host.engine.idle();
  // The script saw its key: that it printed something else than the key is what the mask is for.
  const { jobs } = await succeed(host.dispatch, 'jobs.list', {});
  expect(jobs.map(({ status }) => status).toSorted()).toEqual(['failed', 'succeeded']);
  for (const { id } of jobs) {
    const { data } = await succeed(host.dispatch, 'jobs.log', { jobId: id });
    expect(data).toContain('key=•••(script-key)');
    expect(data).not.toContain('HOLDFAST_CANARY_KEY');
    seen.push(SECRETS['script-key'].value);
  }
  return seen;
}

/** Those whose failures are tried again may or may not have been set aside by now. */
function heldBack(items: readonly { readonly workflowName: string }[]): string[] {
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

/** All that the API tells of workflows, runs, sessions, jobs, devices and secrets. */
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
