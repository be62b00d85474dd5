// The transport contract over HTTP and WebSocket, against a real host process.
import { callOver, openFeed } from '#test/support/http-client.ts';
import { serveHost } from '#test/support/child-processes.ts';
import { tempFolder } from '#test/support/temp-folder.ts';
import { transportContract, type Connection } from '#test/contract/transport.suite.ts';

transportContract('HTTP and WebSocket', async () => {
  const place = await serveHost(tempFolder());
  const client = (): Connection => ({
    call: (name, input) => callOver(place, name, input),
    follow: async () => (await openFeed(place)).messages,
  });
  return { one: client(), other: client() };
});
