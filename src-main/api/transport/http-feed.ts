// The change feed over WebSocket.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import type { ChangeFeed } from '#main/api/transport/change-feed.ts';
import type { FeedMessage } from '#shared/api/feed.ts';
import { FEED_MAX_BUFFERED_BYTES } from '#shared/limits.ts';

const KEEP_ALIVE_MS = 30_000;

export interface FeedServer {
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Disconnects all clients; they must reconnect with the current token. */
  dropAll(): void;
  close(): void;
}

export function createFeedServer(feed: ChangeFeed): FeedServer {
  const server = new WebSocketServer({
    noServer: true,
    // Clients send nothing but control frames.
    maxPayload: 1024,
    handleProtocols: () => 'holdfast',
  });
  const timer = setInterval(() => dropUnresponsive(server), KEEP_ALIVE_MS);
  timer.unref();
  const dropAll = (): void => {
    for (const client of server.clients) client.terminate();
  };
  return {
    accept: (request, socket, head) => {
      server.handleUpgrade(request, socket, head, (client) => stream(client, feed));
    },
    dropAll,
    close: () => {
      clearInterval(timer);
      dropAll();
      server.close();
    },
  };
}

/** Clients that answered the last ping. */
const responsive = new WeakSet<WebSocket>();

function stream(client: WebSocket, feed: ChangeFeed): void {
  let isBehind = false;
  responsive.add(client);
  const send = (message: FeedMessage): void => client.send(JSON.stringify(message), catchUp);
  // Runs when the client has read a message, because no later change may come to trigger it.
  const catchUp = (): void => {
    if (!isBehind || client.bufferedAmount > FEED_MAX_BUFFERED_BYTES) return;
    isBehind = false;
    send({ type: 'resync' });
  };
  const unsubscribe = feed.subscribe((message) => {
    if (client.bufferedAmount > FEED_MAX_BUFFERED_BYTES) isBehind = true;
    if (!isBehind) send(message);
  });
  client.on('pong', () => responsive.add(client));
  client.on('close', unsubscribe);
  client.on('error', () => client.terminate());
}

function dropUnresponsive(server: WebSocketServer): void {
  for (const client of server.clients) {
    if (!responsive.delete(client)) client.terminate();
    else client.ping();
  }
}
