// Artifacts on a real host and on a paired one: calls of the API, fetching, authority of the content.
import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Host } from '#main/host/host.ts';
import type { ArtifactView } from '#shared/api/artifacts.ts';
import type { CallInput } from '#shared/api/contract.ts';
import { MAX_ARTIFACT_BYTES } from '#shared/limits.ts';
import { fail, succeed } from '#test/support/api-calls.ts';
import { eventually } from '#test/support/eventually.ts';
import { pairHosts, startHost, untilLive } from '#test/support/paired-hosts.ts';
import { addWorkflow, ECHO, ended } from '#test/support/webhooks.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

async function withInput(host: Host): Promise<string> {
  const workflowId = await addWorkflow(host, ECHO);
  const { input } = await succeed(host.dispatch, 'inputs.start', {
    requestId: randomUUID(),
    workflowId,
    topic: 'in',
    payload: { say: 'hi' },
  });
  await ended(host, input.id);
  return input.id;
}

const list = async (host: Host, inputId: string): Promise<ArtifactView[]> =>
  (await succeed(host.dispatch, 'artifacts.list', { inputId })).artifacts;

const attach = (host: Host, inputId: string, more: Partial<CallInput<'artifacts.attach'>> = {}) =>
  succeed(host.dispatch, 'artifacts.attach', {
    requestId: randomUUID(),
    inputId,
    name: 'invoice.txt',
    type: 'text/plain',
    base64: base64('paid'),
    ...more,
  });

const pathOf = (host: Host, sha256: string): string =>
  join(host.folder.dir, 'artifacts', sha256.slice(0, 2), sha256.slice(2));

describe('artifacts of an input', () => {
  it('[AF-12] are listed with their size and maker, read, and attached once per request', async () => {
    const host = startHost();
    const inputId = await withInput(host);
    await eventually(async () => {
      expect((await list(host, inputId)).map(({ name }) => name)).toContain('result.json');
    });
    const request = { requestId: 'r1' };
    const { artifact } = await attach(host, inputId, request);
    expect(artifact).toMatchObject({
      name: 'invoice.txt',
      bytes: 4,
      maker: 'person',
      isHere: true,
    });
    expect((await attach(host, inputId, request)).artifact.id).toBe(artifact.id);
    const all = await list(host, inputId);
    expect(all.map(({ name, maker }) => [name, maker])).toEqual(
      expect.arrayContaining([
        ['payload.json', 'stage'],
        ['sources.json', 'stage'],
        ['policy.json', 'stage'],
        ['result.json', 'stage'],
        ['invoice.txt', 'person'],
      ]),
    );
    expect(all.length).toBe(5);
    expect(all.every(({ bytes }) => bytes !== null && bytes > 0)).toBe(true);
    const read = await succeed(host.dispatch, 'artifacts.read', {
      inputId,
      artifactId: artifact.id,
    });
    expect(read).toMatchObject({ type: 'content', base64: base64('paid') });
  });

  it('[AF-12] a file that is too large, holds a secret or has a path as its name is refused, and nothing is written', async () => {
    const host = startHost();
    const inputId = await withInput(host);
    await succeed(host.dispatch, 'secrets.set', { name: 'token', value: 'sesame-open' });
    const before = await list(host, inputId);
    const given = { requestId: 'r', inputId, name: 'a.txt' };
    const refused = async (more: object): Promise<string> =>
      (await fail(host.dispatch, 'artifacts.attach', { ...given, base64: '', ...more })).message;
    expect(await refused({ base64: base64('my sesame-open token') })).toContain(
      'contains a secret',
    );
    const large = Buffer.alloc(MAX_ARTIFACT_BYTES + 1).toString('base64');
    expect(await refused({ base64: large })).toMatch(/at most/);
    expect(await refused({ name: '../up.txt' })).toContain('name');
    expect(await refused({ inputId: 'none' })).toContain('none');
    const foreign = { inputId, artifactId: 'none' };
    expect((await fail(host.dispatch, 'artifacts.read', foreign)).type).toBe('not_found');
    expect(await list(host, inputId)).toEqual(before);
  });

  it('[AF-13] another device shows the source ledger and fetches content when somebody opens it', async () => {
    const [a, b] = [startHost(), startHost()];
    const inputId = await withInput(a);
    const { artifact } = await attach(a, inputId);
    await pairHosts(a, b);
    await untilLive(a, b);
    await eventually(async () => {
      const listed = await list(b, inputId);
      expect(listed.find(({ id }) => id === artifact.id)).toMatchObject({
        isHere: false,
        bytes: 4,
      });
    });
    const detail = await succeed(b.dispatch, 'inputs.get', { inputId });
    expect(detail.unavailable).toBe(null);
    expect(detail.sources).toEqual((await succeed(a.dispatch, 'inputs.get', { inputId })).sources);
    expect(detail.sources.length).toBe(1);
    const request = { inputId, artifactId: artifact.id };
    const read = await succeed(b.dispatch, 'artifacts.read', request);
    expect(read).toMatchObject({ type: 'content', base64: base64('paid') });
    const now = await list(b, inputId);
    expect(now.find(({ id }) => id === artifact.id)?.isHere).toBe(true);
  });

  it('[AF-13] without a connection a sentence says where the content is; it arrives when the devices connect', async () => {
    const [a, b] = [startHost(), startHost()];
    const inputId = await withInput(a);
    const { artifact } = await attach(a, inputId);
    await succeed(a.dispatch, 'devices.rename', { name: 'Laptop' });
    await pairHosts(a, b);
    await untilLive(a, b);
    await eventually(async () => expect((await list(b, inputId)).length).toBeGreaterThan(3));
    const dataDir = a.folder.dir;
    await a.close();
    const request = { inputId, artifactId: artifact.id };
    const read = await eventually(async () => {
      const answer = await succeed(b.dispatch, 'artifacts.read', request);
      expect(answer).toMatchObject({ message: expect.stringContaining('which is not connected') });
      return answer;
    });
    expect(read).toMatchObject({
      type: 'unavailable',
      message:
        'The content of "invoice.txt" is on Laptop, which is not connected. Holdfast fetches it when both devices are connected.',
    });
    const detail = await succeed(b.dispatch, 'inputs.get', { inputId });
    expect(detail.unavailable).toContain('is on Laptop, which is not connected');
    const again = startHost(dataDir);
    await untilLive(again, b);
    await eventually(async () => {
      const here = (await list(b, inputId)).find(({ id }) => id === artifact.id);
      expect(here?.isHere).toBe(true);
    });
  });

  it('[AF-13] a damaged or missing file is fetched again from a device that has it', async () => {
    const [a, b] = [startHost(), startHost()];
    const inputId = await withInput(a);
    const { artifact } = await attach(a, inputId);
    await pairHosts(a, b);
    await untilLive(a, b);
    await eventually(async () => expect((await list(b, inputId)).length).toBeGreaterThan(3));
    const request = { inputId, artifactId: artifact.id };
    await succeed(b.dispatch, 'artifacts.read', request);
    for (const harm of [rmSync, (path: string) => writeFileSync(path, 'bad')]) {
      harm(pathOf(a, artifact.sha256));
      const read = await succeed(a.dispatch, 'artifacts.read', request);
      expect(read).toMatchObject({ type: 'content', base64: base64('paid') });
    }
  });
});
