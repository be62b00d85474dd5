// The transport contract over HTTP and WebSocket, against one real host process.
import { afterAll, beforeAll } from 'vitest';
import { callOver, openFeed } from '#test/support/http-client.ts';
import { serveHost, type ServedHost } from '#test/support/child-processes.ts';
import { tempFolder, type AtEnd } from '#test/support/temp-folder.ts';
import { transportContract, type Connection } from '#test/contract/transport.suite.ts';

let host: ServedHost;
const cleanUps: (() => void | Promise<void>)[] = [];
beforeAll(async () => {
  const atEnd: AtEnd = (cleanUp) => void cleanUps.push(cleanUp);
  host = await serveHost(tempFolder(atEnd), [], atEnd);
});
afterAll(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
});

const client: Connection = {
  call: (name, input) => callOver(host, name, input),
  follow: async () => (await openFeed(host)).messages,
};

transportContract('HTTP and WebSocket', async () => ({ one: client, other: client }));
