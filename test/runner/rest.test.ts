// The REST API over real HTTP, and a client generated from its OpenAPI document.
import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { OpenAPIClientAxios, type Document, type OpenAPIClient } from 'openapi-client-axios';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startHttpServer } from '#main/api/transport/http-server.ts';
import { openApiDocument } from '#main/runner/openapi.ts';
import { restEndpoints, restError, type RestJob } from '#shared/api/runner-rest.ts';
import type { JsonObject } from '#shared/json.ts';
import { send, type Received } from '#test/support/http-client.ts';
import { startRunner, type RunnerSetUp, type RunnerUnderTest } from '#test/support/start-runner.ts';

const SCRIPTS = {
  hello: {
    sh: 'echo "hello $*"',
    description: 'Says hello.',
    args: {
      name: { type: 'string', pattern: '[a-z]+', maxLength: 10 },
      times: { type: 'integer', min: 1, max: 3, flag: '-n' },
      file: { type: 'path' },
    },
  },
  long: { sh: 'echo up; exec sleep 300' },
};

interface Served extends RunnerUnderTest {
  readonly url: string;
  readonly token: string;
  request(method: string, path: string, body?: unknown, headers?: object): Promise<Received>;
  json(
    method: string,
    path: string,
    body?: unknown,
    headers?: object,
  ): Promise<Record<string, unknown>>;
}

async function serve(config: RunnerSetUp['config'] = {}): Promise<Served> {
  const runner = startRunner({ scripts: SCRIPTS, config });
  const token = runner.host.token.current;
  const server = await startHttpServer({ host: runner.host, port: 0 });
  onTestFinished(() => server.close());
  const request: Served['request'] = (method, path, body, headers = {}) =>
    send(server.url, {
      method,
      path: `/api/runner/${path}`,
      headers: { Authorization: `Bearer ${token}`, ...headers },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  return {
    ...runner,
    url: server.url,
    token,
    request,
    json: async (...asked) => JSON.parse((await request(...asked)).text) as Record<string, unknown>,
  };
}

/** The header of a new token with this name. */
function bearer({ host }: RunnerUnderTest, name: string): { readonly Authorization: string } {
  return { Authorization: `Bearer ${host.runnerTokens.add(name)}` };
}

const NEW = { repo_key: 'main', script_key: 'hello', args: { name: 'you' } };
const isEnded = (job: RestJob): boolean => job.finished_at !== null;

describe('endpoints', () => {
  test('[RU-9] repos and scripts are listed from the registry', async () => {
    const served = await serve();
    expect(await served.json('GET', 'repos')).toEqual({
      repos: [{ key: 'main', title: 'main', path: served.repo }],
    });
    const { scripts } = await served.json('GET', 'scripts');
    expect(scripts).toMatchObject([
      { key: 'hello', description: 'Says hello.', repos: ['main'], args: { times: { max: 3 } } },
      { key: 'long' },
    ]);
  });

  test('[RU-9] a created job runs and is returned with its events and log', async () => {
    const served = await serve();
    const made = await served.request('POST', 'jobs', NEW);
    expect(made.status).toBe(201);
    const job = JSON.parse(made.text) as RestJob;
    expect(made.headers.location).toBe(`/api/runner/jobs/${job.id}`);
    expect(job).toMatchObject({ status: 'queued', requested_by: 'api', args: { name: 'you' } });
    await expect
      .poll(async () => isEnded((await served.json('GET', `jobs/${job.id}`)) as RestJob))
      .toBe(true);
    const { events, ...ended } = await served.json('GET', `jobs/${job.id}`);
    expect(ended).toMatchObject({ status: 'succeeded', exit_code: 0, log_bytes: 12 });
    expect((events as { type: string }[]).map(({ type }) => type)).toEqual([
      'queued',
      'running',
      'succeeded',
    ]);
    expect(await served.json('GET', `jobs/${job.id}/logs`)).toEqual({
      job_id: job.id,
      offset: 0,
      next_offset: 12,
      end_offset: 12,
      eof: true,
      data: '\u001e1hello you\n',
    });
    expect(await served.json('GET', `jobs/${job.id}/logs?offset=99999`)).toMatchObject({
      data: '',
      next_offset: 12,
      end_offset: 12,
    });
  });

  test('[RU-9] jobs are listed newest first, in pages, by status and script', async () => {
    const served = await serve({ isEnabled: false });
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      const script = n % 2 === 0 ? 'hello' : 'long';
      const job = await served.json('POST', 'jobs', { repo_key: 'main', script_key: script });
      ids.unshift(String(job['id']));
    }
    const page = async (query: string) => {
      const { jobs, next } = await served.json('GET', `jobs?${query}`);
      return { ids: (jobs as RestJob[]).map(({ id }) => id), next };
    };
    expect(await page('limit=3')).toEqual({ ids: ids.slice(0, 3), next: ids[2] });
    expect(await page(`limit=3&after=${ids[2]}`)).toEqual({ ids: ids.slice(3), next: null });
    expect((await page('script_key=long')).ids).toEqual([ids[1], ids[3]]);
    await served.json('POST', `jobs/${ids[0]}/cancel`);
    expect((await page('status=canceled')).ids).toEqual([ids[0]]);
  });

  test('[RU-9] cancel ends a queued job, requests the end of a running one, and refuses an ended one', async () => {
    const served = await serve({ concurrency: 1 });
    const running = await served.json('POST', 'jobs', { repo_key: 'main', script_key: 'long' });
    const queued = await served.json('POST', 'jobs', NEW);
    const path = `jobs/${String(running['id'])}`;
    await expect
      .poll(async () => (await served.json('GET', `${path}/logs`))['data'])
      .toContain('up');
    expect(await served.json('POST', `jobs/${String(queued['id'])}/cancel`)).toMatchObject({
      status: 'canceled',
    });
    expect(await served.json('POST', `${path}/cancel`)).toMatchObject({
      status: 'cancel_requested',
    });
    await expect.poll(async () => (await served.json('GET', path))['status']).toBe('canceled');
    const again = await served.request('POST', `${path}/cancel`);
    expect(again.status).toBe(409);
    expect(again.text).toContain('nothing to cancel');
  });

  const JOBS = 'jobs';
  test.each<[string, number, string, string, unknown, object?]>([
    ['unknown script', 404, 'POST', JOBS, { ...NEW, script_key: 'nope' }],
    ['unknown repo', 404, 'POST', JOBS, { ...NEW, repo_key: 'nope' }],
    ['unknown job', 404, 'GET', 'jobs/nope', undefined],
    ['unknown job', 404, 'GET', 'jobs/%E0%A4%A/logs', undefined],
    ['unknown job', 404, 'POST', 'jobs/nope/cancel', undefined],
    ['unknown endpoint', 404, 'GET', 'nonsense', undefined],
    ['wrong method', 405, 'DELETE', 'jobs', undefined],
    ['arg not listed', 422, 'POST', JOBS, { ...NEW, args: { nonsense: 1 } }],
    ['arg out of range', 422, 'POST', JOBS, { ...NEW, args: { times: 4 } }],
    ['path escape', 422, 'POST', JOBS, { ...NEW, args: { file: '../../etc/passwd' } }],
    ['unknown field', 422, 'POST', JOBS, { ...NEW, more: 1 }],
    ['wrong type', 422, 'POST', JOBS, { ...NEW, args: [] }],
    ['another requester', 403, 'POST', JOBS, { ...NEW, requested_by: 'workflow' }],
    ['requester of the wrong type', 422, 'POST', JOBS, { ...NEW, requested_by: 7 }],
    ['no JSON', 400, 'POST', JOBS, '{'],
    ['too large', 413, 'POST', JOBS, `"${'x'.repeat(3_000_000)}"`],
    ['bad key', 422, 'POST', JOBS, NEW, { 'Idempotency-Key': 'a b' }],
    ['bad limit', 422, 'GET', 'jobs?limit=0', undefined],
    ['bad offset', 422, 'GET', 'jobs/x/logs?offset=-1', undefined],
    ['unknown query', 422, 'GET', 'jobs?colour=blue', undefined],
    ['wrong token', 401, 'GET', 'jobs', undefined, { Authorization: 'Bearer wrong' }],
    ['no token', 401, 'POST', JOBS, NEW, { Authorization: '' }],
    ['foreign origin', 403, 'POST', JOBS, NEW, { Origin: 'http://evil.example' }],
  ])(
    '[RU-9] %s gets %i with a message, and nothing is queued',
    async (_, status, method, path, body, headers) => {
      const served = await serve({ isEnabled: false });
      const answer = await served.request(method, path, body, headers);
      expect(answer.status, answer.text).toBe(status);
      const parsed = restError.parse(JSON.parse(answer.text));
      expect(parsed.error.message).toMatch(/\w.*\.$/s);
      expect(served.host.stores.runnerJobs.list({ limit: 10 }).jobs).toEqual([]);
    },
  );

  test('[RU-9] an invalid argument is named in the problems', async () => {
    const served = await serve({ isEnabled: false });
    const answer = await served.json('POST', JOBS, { ...NEW, args: { name: 'NO' } });
    expect(answer).toMatchObject({
      error: { type: 'invalid_input', problems: [expect.stringMatching(/^args\.name: /)] },
    });
  });
});

describe('idempotency keys and limits', () => {
  test('[RU-6] the same key and body return the same job, in any key order, also after it ended', async () => {
    const served = await serve();
    const key = { 'Idempotency-Key': 'one' };
    const body = { ...NEW, args: { name: 'you', times: 2 } };
    const first = await served.request('POST', 'jobs', body, key);
    const turned = { args: { times: 2, name: 'you' }, script_key: 'hello', repo_key: 'main' };
    const second = await served.request('POST', 'jobs', turned, key);
    expect([first.status, second.status]).toEqual([201, 200]);
    const { id } = JSON.parse(first.text) as RestJob;
    expect((JSON.parse(second.text) as RestJob).id).toBe(id);
    await expect
      .poll(async () => isEnded((await served.json('GET', `jobs/${id}`)) as RestJob))
      .toBe(true);
    expect((await served.json('POST', 'jobs', body, key))['id']).toBe(id);
    const other = await served.request('POST', 'jobs', NEW, key);
    expect(other.status).toBe(409);
    expect(other.text).toContain(id);
    const someone = await served.request('POST', 'jobs', NEW, {
      ...key,
      ...bearer(served, 'someone'),
    });
    expect(someone.status).toBe(201);
  });

  test('[RU-6] concurrent requests with one key create one job', async () => {
    const served = await serve({ isEnabled: false });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        served.request('POST', 'jobs', NEW, { 'Idempotency-Key': 'k' }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(new Set(answers.map(({ text }) => (JSON.parse(text) as RestJob).id)).size).toBe(1);
  });

  test('[RU-7] a full queue returns 429 with Retry-After; a known key still returns its job', async () => {
    const served = await serve({ isEnabled: false, maxQueueSize: 3, maxQueuedPerUser: 2 });
    const callers = new Map(['a', 'b', 'c'].map((name) => [name, bearer(served, name)]));
    const as = (name: string, key?: string) =>
      served.request('POST', 'jobs', NEW, {
        ...callers.get(name),
        ...(key && { 'Idempotency-Key': key }),
      });
    expect((await as('a', 'known')).status).toBe(201);
    expect((await as('a')).status).toBe(201);
    const tooMany = await as('a');
    expect(tooMany.status).toBe(429);
    expect(Number(tooMany.headers['retry-after'])).toBeGreaterThan(0);
    expect(restError.parse(JSON.parse(tooMany.text)).error).toMatchObject({ type: 'too_many' });
    expect((await as('b')).status).toBe(201);
    expect((await as('c')).status).toBe(429);
    expect((await as('a', 'known')).status).toBe(200);
    expect(served.host.stores.runnerJobs.queuedCount()).toBe(3);
  });

  test('[RU-18] a caller is who authenticated: no name in the body avoids its limit or uses another’s', async () => {
    const served = await serve({ isEnabled: false, maxQueuedPerUser: 1 });
    const ci = bearer(served, 'ci');
    const ask = (headers: object, body: object = {}) =>
      served.request('POST', 'jobs', { ...NEW, ...body }, headers);
    const made = await ask(ci);
    expect(JSON.parse(made.text)).toMatchObject({ requested_by: 'ci' });
    for (const name of ['other', 'api', 'ci2']) {
      const answer = await ask(ci, { requested_by: name });
      expect(answer.status).toBe(403);
      expect(answer.text).toContain('this token belongs to \\"ci\\"');
    }
    expect((await ask(ci, { requested_by: 'ci' })).status).toBe(429);
    // The token of the host is a caller too.
    expect(JSON.parse((await ask({})).text)).toMatchObject({ requested_by: 'api' });
    expect((await ask({})).status).toBe(429);
    expect((await ask({}, { requested_by: 'ci' })).status).toBe(403);
    expect(served.host.stores.runnerJobs.queuedCount()).toBe(2);
  });

  test('[RU-18] a named token gives access to the runner only, and none once it is removed', async () => {
    const served = await serve({ isEnabled: false });
    const ci = bearer(served, 'ci');
    expect((await served.request('GET', 'jobs', undefined, ci)).status).toBe(200);
    const call = await send(served.url, {
      method: 'POST',
      path: '/api/call/workflows.list',
      headers: ci,
      body: '{"limit":1}',
    });
    expect(call.status).toBe(401);
    expect((await send(served.url, { path: '/metrics', headers: ci })).status).toBe(401);
    served.host.runnerTokens.remove('ci');
    expect((await served.request('GET', 'jobs', undefined, ci)).status).toBe(401);
  });
});

describe('OpenAPI document', () => {
  test('[RU-10] the served document is valid, and the document in docs/ is up to date', async () => {
    const served = await serve();
    const document = await served.json('GET', 'openapi.json');
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
    const documented = JSON.parse(readFileSync('docs/runner-openapi.json', 'utf8')) as JsonObject;
    expect(openApiDocument('1')).toEqual(documented);
    const paths = Object.entries(document['paths'] as object).flatMap(([path, methods]) =>
      Object.keys(methods as object).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(paths.toSorted()).toEqual([
      'GET /api/runner/jobs',
      'GET /api/runner/jobs/{job_id}',
      'GET /api/runner/jobs/{job_id}/logs',
      'GET /api/runner/repos',
      'GET /api/runner/scripts',
      'POST /api/runner/jobs',
      'POST /api/runner/jobs/{job_id}/cancel',
    ]);
  });

  test('[RU-10] a client generated from the document works, and every response matches its schema', async () => {
    const served = await serve({ concurrency: 1, maxQueuedPerUser: 2 });
    const document = (await served.json('GET', 'openapi.json')) as unknown as Document & JsonObject;
    const ajv = addFormats.default(new Ajv2020({ strict: false }));
    ajv.addSchema({ $id: 'doc', ...document });
    let checked = 0;
    const api = new OpenAPIClientAxios({
      definition: document,
      axiosConfigDefaults: {
        baseURL: served.url,
        headers: { Authorization: `Bearer ${served.token}` },
        validateStatus: () => true,
      },
    });
    const client = (await api.init()) as unknown as OpenAPIClient & Record<string, Operation>;
    type Operation = (
      ...args: unknown[]
    ) => Promise<{ status: number; data: Record<string, unknown> }>;
    const call = async (name: keyof typeof restEndpoints, ...args: unknown[]) => {
      const answer = await (client[name] as Operation)(...args);
      const { path, method } = restEndpoints[name];
      const pointer = `doc#/paths/${path.replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D')}/${method.toLowerCase()}/responses/${answer.status}/content/application~1json/schema`;
      const validate = ajv.getSchema(pointer);
      if (!validate)
        throw new Error(`${name} answered ${answer.status}, which the document does not know.`);
      expect(validate(answer.data), JSON.stringify([name, answer.data, validate.errors])).toBe(
        true,
      );
      checked += 1;
      return answer;
    };
    await call('listRepos');
    await call('listScripts');
    const made = await call('createJob', null, { repo_key: 'main', script_key: 'long' });
    expect(made.status).toBe(201);
    const id = made.data['id'];
    const keyed = { headers: { 'Idempotency-Key': 'k' } };
    expect((await call('createJob', null, NEW, keyed)).status).toBe(201);
    expect((await call('createJob', null, NEW, keyed)).status).toBe(200);
    expect((await call('createJob', null, { ...NEW, args: {} }, keyed)).status).toBe(409);
    expect((await call('createJob', null, { ...NEW, script_key: 'x' })).status).toBe(404);
    expect((await call('createJob', null, { ...NEW, args: { x: 1 } })).status).toBe(422);
    await call('createJob', null, NEW);
    await expect.poll(async () => (await call('createJob', null, NEW)).status).toBe(429);
    expect((await call('listJobs', { limit: 1, status: 'queued' })).data['next']).toBeTypeOf(
      'string',
    );
    await expect
      .poll(async () => (await call('getJobLogs', { job_id: id, offset: 0 })).data['data'])
      .toContain('up');
    expect((await call('cancelJob', id)).data['status']).toBe('cancel_requested');
    await expect.poll(async () => (await call('getJob', id)).data['status']).toBe('canceled');
    expect((await call('cancelJob', id)).status).toBe(409);
    expect((await call('getJob', 'nope')).status).toBe(404);
    expect((await call('listJobs', { limit: 999 })).status).toBe(422);
    expect(checked).toBeGreaterThan(16);
  });
});
