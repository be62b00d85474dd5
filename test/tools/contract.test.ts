// Runs the tool contract against every tool with real parts: the practice service, real files, and a
// feed served over HTTP.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startPractice } from '#main/practice/practice.ts';
import { createAskTool } from '#main/tools/ask.ts';
import { callMutation } from '#main/tools/call-tool.ts';
import { createFeedTool } from '#main/tools/feed/feed.ts';
import { createFilesTool } from '#main/tools/files/files.ts';
import { createHttpTool } from '#main/tools/http/http.ts';
import { createNotifyTool } from '#main/tools/notify.ts';
import { createTools, describeTools } from '#main/tools/registry.ts';
import { tempFolder } from '#test/support/temp-folder.ts';
import { answerWith, closedPort, rawServer } from '#test/tools/raw-server.ts';
import { toolContract } from '#test/tools/tool.suite.ts';

toolContract('http', async () => {
  const practice = await startPractice({ port: 0 });
  onTestFinished(() => practice.close());
  // The practice service accepts only POST; a raw server answers the other verbs.
  const server = await rawServer(answerWith('HTTP/1.1 204 Done\r\nConnection: close\r\n\r\n'));
  const dead = `127.0.0.1:${await closedPort()}`;
  const auth = { bearerSecret: 'token' };
  const reconcile = {
    url: `${practice.url}/effects`,
    query: 'key',
    happenedWhen: { jsonPath: 'effects.0.key', equals: '{effectId}' },
    didNotHappenWhen: { jsonPath: 'count', equals: 0 },
    settleMs: 0,
  };
  const other = { url: `${server.url}/thing?token=1`, json: { a: 1 }, auth };
  return {
    tool: createHttpTool(),
    grant: { hosts: [practice.url.slice('http://'.length), server.host, dead] },
    otherGrant: { hosts: ['example.org', '127.0.0.1'] },
    params: {
      get: { url: `${practice.url}/effects`, auth },
      head: { url: `${server.url}/`, auth: { headerSecrets: { 'X-Key': 'token' } } },
      post: { url: `${practice.url}/effects/note`, json: { text: 'hello' }, auth, reconcile },
      put: other,
      patch: other,
      delete: { url: `${server.url}/thing`, auth: { basicSecret: 'token' } },
    },
    contacts: () => practice.effects().length + server.received.join('').length,
    unreachable: (call) => ({
      ...call,
      params: { ...(call.params as object), url: `http://${dead}/effects/note` },
    }),
    loseAnswer: async (call, host) => {
      const tools = { http: createHttpTool() };
      const fault = { 'X-Practice-Fault': 'drop_answer' };
      const url = `${practice.url}/effects/note`;
      // The practice service ignores other verbs; a second server cuts the connection for those.
      const cutting = await rawServer((socket) => socket.destroy());
      const params =
        call.method === 'post'
          ? { ...(call.params as object), url, headers: fault }
          : { ...(call.params as object), url: cutting.url };
      const grant = { hosts: [url.split('/')[2], cutting.host] };
      return callMutation(tools, { ...call, params, grant }, host);
    },
  };
});

toolContract('files', async () => {
  const folder = tempFolder();
  const inside = join(folder, 'granted');
  mkdirSync(inside);
  writeFileSync(join(inside, 'a.txt'), 'old\n');
  writeFileSync(join(inside, 'move-me.txt'), 'to be moved\n');
  const tool = createFilesTool();
  const contents = (): string =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted().join('\n');
  const atFirst = contents();
  return {
    tool,
    grant: { folders: [inside] },
    otherGrant: { folders: [join(folder, 'other')] },
    params: {
      list: { path: inside },
      read: { path: join(inside, 'a.txt') },
      stat: { path: join(inside, 'missing.txt') },
      write: { path: join(inside, 'b.txt'), text: 'new' },
      move: { from: join(inside, 'move-me.txt'), to: join(inside, 'moved.txt') },
      append: { path: join(inside, 'log.txt'), text: 'a line' },
      mkdir: { path: join(inside, 'sub') },
    },
    contacts: () => (contents() === atFirst ? 0 : contents().length),
    // The host crashes after the effect, so no caller sees the outcome.
    loseAnswer: async (call, host) => {
      await callMutation({ files: tool }, call, host);
      return null;
    },
  };
});

toolContract('feed', async () => {
  const feed =
    '<rss version="2.0"><channel><title>T</title><item><guid>1</guid></item></channel></rss>';
  const server = await rawServer(
    answerWith(
      `HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: ${feed.length}\r\n\r\n${feed}`,
    ),
  );
  return {
    tool: createFeedTool(),
    grant: { hosts: [server.host] },
    otherGrant: { hosts: ['127.0.0.1:1'] },
    params: { read: { url: server.url, auth: { bearerSecret: 'token' } } },
    contacts: () => server.received.join('').length,
  };
});

toolContract('notify', async () => {
  let shown = 0;
  return {
    tool: createNotifyTool(async () => {
      shown += 1;
    }),
    grant: {},
    params: { show: { title: 'Done', body: 'All went well.' } },
    contacts: () => shown,
    loseAnswer: async () => null,
  };
});

toolContract('ask', async () => ({
  tool: createAskTool(),
  grant: {},
  params: { question: { question: 'Pay it?', choices: ['yes', 'no'] } },
  contacts: () => 0,
  neverBegan: 'unknown',
}));

test('[TL-2] describeTools lists every tool with the schemas of its params and its grant', () => {
  const tools = createTools({ notifier: async () => {}, dataDir: tempFolder() });
  const described = describeTools(tools);
  expect(described.map(({ namespace }) => namespace)).toEqual(Object.keys(tools));
  for (const { grant, methods } of described) {
    expect(grant).toMatchObject({ type: 'object' });
    for (const { name, kind, summary, params } of methods) {
      expect(['read', 'mutation']).toContain(kind);
      expect(summary, name).not.toBe('');
      expect(params, name).toMatchObject({ type: 'object', properties: expect.any(Object) });
    }
  }
});
