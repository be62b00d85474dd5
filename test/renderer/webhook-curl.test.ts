// @vitest-environment node
// A real shell runs the curl command, and the real signature check verifies what it sends.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { verifySignature } from '#main/inputs/signature.ts';
import type { DedupRule } from '#shared/inputs/dedup-key.ts';
import { curlCommand } from '#renderer/inputs/webhooks/webhook-curl.ts';
import { isWindows, onWindows } from '#test/support/not-run.ts';

const run = promisify(execFile);

describe.skipIf(isWindows)(`the curl command for a hook${onWindows}`, () => {
  /** Runs the command once and returns the request it sends. */
  const sent = async (makeLine: (address: string) => string) => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const asked = once(server, 'request').then(async ([request, response]) => {
      const rawBody = await buffer(request as IncomingMessage);
      response.end();
      return { rawBody, headers: (request as IncomingMessage).headers };
    });
    await run('sh', ['-c', makeLine(`http://127.0.0.1:${port}/hooks/h`)]);
    const request = await asked;
    server.close();
    return request;
  };
  const BODY: DedupRule = { by: 'body' };

  test.each(['bearer', 'github', 'stripe'] as const)(
    '[IP-4] authenticates as %s with a secret full of shell characters',
    async (kind) => {
      const secret = kind === 'bearer' ? `a'$HOME"b;#` : `it's $HOME "and" \`date\``;
      const hook = { auth: { kind }, dedup: BODY };
      const request = await sent((address) => curlCommand(hook, address, secret));
      expect(verifySignature(hook.auth, request, secret, Date.now())).toEqual({ ok: true });
      expect(verifySignature(hook.auth, request, 'another', Date.now()).ok).toBe(false);
    },
  );

  test('[IP-4] includes the dedup header or field of the hook', async () => {
    const auth = { kind: 'bearer' } as const;
    const byHeader: DedupRule = { by: 'header', name: 'x-delivery' };
    const first = await sent((address) => curlCommand({ auth, dedup: byHeader }, address, 's'));
    expect(first.headers['x-delivery']).toBe('example-1');
    const byPath: DedupRule = { by: 'path', path: 'data.id' };
    const second = await sent((address) => curlCommand({ auth, dedup: byPath }, address, 's'));
    expect(JSON.parse(second.rawBody.toString())).toEqual({ data: { id: 'example-1' } });
  });
});
