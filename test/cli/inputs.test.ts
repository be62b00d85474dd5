// Inputs from the command line, with a running host.
import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { holdfast, hostForFile, refused, succeeds, type FileHost } from '#test/cli/holdfast.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'holdfast-test-'));
const data = ['--data', dataDir];
let host: FileHost;

const SOURCE = `
import { workflow } from 'holdfast';
export default workflow({
  name: 'clerk', topics: ['in'], uses: { ask: {} },
  consumers: { file: {
    subscribes: 'in',
    async prepare(ctx) {
      const [event] = await ctx.peek('in', { limit: 1 });
      return event ? { reservations: [event], data: event.payload, ui: { title: 'File it' } } : {};
    },
    async mutate(ctx, { data }) {
      if (data.ask) await ctx.tools.ask.question({ question: 'Really?' });
    },
    async next(ctx, { data }) { await ctx.complete({ filed: data.n }); },
  } },
});`;

beforeAll(async () => {
  host = await hostForFile(dataDir);
  const path = join(dataDir, 'clerk.ts');
  writeFileSync(path, SOURCE);
  await host.call('workflows.add', { path });
}, 60_000);
afterAll(async () => {
  await host.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

describe('holdfast', () => {
  it('[IG-10] start --wait exits with 0 for succeeded, 2 for needs_human; a key starts one input', async () => {
    const start = ['start', 'clerk', '--input', '{"n":1}', '--key', 'k1', '--title', 'Invoice 1'];
    const first = await succeeds(...start, '--wait', ...data);
    expect(first).toContain('succeeded');
    expect(await succeeds(...start, ...data)).toContain('was already started');
    const asks = await holdfast('start', 'clerk', '--input', '{"ask":true}', '--wait', ...data);
    expect(asks).toMatchObject({ code: 2, stdout: expect.stringContaining('needs_human') });
    expect(await refused('start', 'clerk', '--topic', 'nowhere', ...data)).toContain(
      'Choose one of: in',
    );
    const { inputs } = JSON.parse(await succeeds('inputs', '--json', ...data)) as {
      inputs: { id: string; run: { status: string } }[];
    };
    expect(inputs.map(({ run }) => run.status)).toEqual(['needs_human', 'succeeded']);
    await host.call('inputs.skip', { inputId: inputs[0]?.id ?? '', reason: 'not needed' });
    const skipped = await succeeds('show', inputs[0]?.id ?? '', ...data);
    expect(skipped).toContain(' stop requested by person');
  });

  it('[IG-9] [IG-10] inputs lists, and show prints history, runs, payload and completion in order', async () => {
    await succeeds(
      'start',
      'clerk',
      '--input',
      '{"n":2}',
      '--title',
      'Invoice 2',
      '--wait',
      ...data,
    );
    const list = await succeeds('inputs', 'clerk', '--text', 'invoice 2', ...data);
    expect(list).toMatch(/RECEIVED +INPUT +WORKFLOW/);
    expect(list).toContain('Invoice 2');
    expect(list).not.toContain('Invoice 1');
    const id = /[0-9a-f]{32}/.exec(list)?.[0] ?? '';
    const story = await succeeds('show', id.slice(0, 10), ...data);
    expect(story.split('\n').length).toBeLessThan(40);
    const order = [
      'Invoice 2  (clerk)',
      'History',
      'queued',
      'enriching',
      'ready',
      'running',
      'succeeded',
      'Events and runs',
      'in: Invoice 2',
      'file  committed',
      'Payload',
      '{"n":2}',
      'Completion',
      '{"filed":2}',
    ];
    let at = -1;
    for (const part of order) {
      const next = story.indexOf(part, at + 1);
      expect([part, next > at]).toEqual([part, true]);
      at = next;
    }
    expect(await succeeds('inputs', '--state', 'failed', ...data)).toContain('No inputs found');
    expect(await refused('show', 'nothing', ...data)).toContain('There is no run');
  });

  it('[IG-5] [IG-10] hook create, list, rotate and remove', async () => {
    const created = await succeeds(
      'hook',
      'create',
      'clerk',
      '--name',
      'shop',
      '--auth',
      'github',
      '--dedup',
      'header:X-GitHub-Delivery',
      '--json',
      ...data,
    );
    const { hook, secret, address } = JSON.parse(created) as {
      hook: { id: string };
      secret: string;
      address: string;
    };
    // Nothing that commander would take for an option.
    expect(hook.id).toMatch(/^[0-9a-f]{32}$/);
    const body = '{"n":3}';
    const sign = (by: string): string => createHmac('sha256', by).update(body).digest('hex');
    const post = (by: string, delivery: string): Promise<Response> =>
      fetch(address, {
        method: 'POST',
        headers: { 'X-Hub-Signature-256': `sha256=${sign(by)}`, 'X-GitHub-Delivery': delivery },
        body,
      });
    expect((await post(secret, 'd1')).status).toBe(202);
    expect(await succeeds('hook', 'list', ...data)).toMatch(/shop +clerk +in +github +header +1/);
    const rotated = await succeeds('hook', 'rotate', 'shop', '--overlap', '1h', ...data);
    expect(rotated).toContain('The old one is valid until');
    const fresh = /shown only once: (\S+)/.exec(rotated)?.[1] ?? '';
    expect((await post(secret, 'd1')).status).toBe(202);
    expect((await post(fresh, 'd1')).status).toBe(202);
    expect((await post(fresh, 'd2')).status).toBe(409);
    expect(await succeeds('hook', 'remove', hook.id, ...data)).toContain('Removed the hook');
    expect((await post(fresh, 'd1')).status).toBe(404);
    expect(await refused('hook', 'rotate', 'shop', ...data)).toContain('There is no hook "shop"');
  });

  it('[AF-16] artifacts are listed, shown, saved and attached; a file that exists is not replaced', async () => {
    const start = ['start', 'clerk', '--input', '{"n":5}', '--key', 'k-artifacts', '--json'];
    const { input } = JSON.parse(await succeeds(...start, ...data)) as { input: { id: string } };
    const file = join(dataDir, 'note.txt');
    writeFileSync(file, 'paid in full');
    expect(await succeeds('artifacts', 'attach', input.id, file, ...data)).toBe(
      'Attached "note.txt" (12 bytes, text/plain).\n',
    );
    const listed = await succeeds('artifacts', 'list', input.id, ...data);
    expect(listed).toMatch(/note\.txt +text\/plain +12 +a person on .* here/);
    expect(listed).toMatch(/payload\.json +application\/json +\d+ +Holdfast +here/);
    expect(await succeeds('artifacts', 'show', input.id, 'note.txt', ...data)).toBe(
      'paid in full\n',
    );
    expect(await succeeds('artifacts', 'show', input.id, 'payload.json', ...data)).toContain(
      '"n": 5',
    );
    const copy = join(dataDir, 'copy.txt');
    await succeeds('artifacts', 'save', input.id, 'note.txt', copy, ...data);
    expect(readFileSync(copy, 'utf8')).toBe('paid in full');
    expect(await refused('artifacts', 'save', input.id, 'note.txt', file, ...data)).toContain(
      'replace it with --force',
    );
  });

  it('[AF-16] bytes are not printed, and a missing file, artifact or input is named', async () => {
    const { inputs } = await host.call('inputs.list', { limit: 1 });
    const [input] = inputs;
    if (!input) throw new Error('There is no input.');
    const bytes = join(dataDir, 'x.bin');
    writeFileSync(bytes, Buffer.of(0xff, 0xfe));
    await succeeds('artifacts', 'attach', input.id, bytes, '--name', 'raw.bin', ...data);
    expect(await refused('artifacts', 'show', input.id, 'none', ...data)).toContain('It has: ');
    expect(await refused('artifacts', 'show', input.id, 'raw.bin', ...data)).toContain(
      'is not text',
    );
    expect(await refused('artifacts', 'attach', input.id, join(dataDir, 'no'), ...data)).toContain(
      "can't be read",
    );
    expect(await refused('artifacts', 'list', 'ffffffff', ...data)).toContain(
      'No input has the id',
    );
  });
});
