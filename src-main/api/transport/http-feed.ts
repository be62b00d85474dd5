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
  /** Who follows has to come again, with the token of then. */
  dropAll(): void;
  close(): void;
}

export function createFeedServer(feed: ChangeFeed): FeedServer {
  const server = new WebSocketServer({
    noServer: true,
    // Clients only listen; whatever they send is small talk.
    maxPayload: 1024,
    handleProtocols: () => 'holdfast',
  });
  const timer = setInterval(() => dropTheSilent(server), KEEP_ALIVE_MS);
  timer.unref();
  const dropAll = (): void => {
    for (const client of server.clients) client.terminate();
  };
  return {
    accept: (request, socket, head) => {
      server.handleUpgrade(request, socket, head, (client) => follow(client, feed));
    },
    dropAll,
    close: () => {
      clearInterval(timer);
      dropAll();
      server.close();
    },
  };
}

const answered = new WeakSet<WebSocket>();

function follow(client: WebSocket, feed: ChangeFeed): void {
  let isBehind = false;
  answered.add(client);
  const send = (message: FeedMessage): void => client.send(JSON.stringify(message), catchUp);
  // Called as the client reads on: there may be no further change that would tell it.
  const catchUp = (): void => {
    if (!isBehind || client.bufferedAmount > FEED_MAX_BUFFERED_BYTES) return;
    isBehind = false;
    send({ type: 'resync' });
  };
  const unsubscribe = feed.subscribe((message) => {
    if (client.bufferedAmount > FEED_MAX_BUFFERED_BYTES) isBehind = true;
    if (!isBehind) send(message);
  });
  client.on('pong', () => answered.add(client));
  client.on('close', unsubscribe);
  client.on('error', () => client.terminate());
}

function dropTheSilent(server: WebSocketServer): void {
  for (const client of server.clients) {
    if (!answered.delete(client)) client.terminate();
    else client.ping();
  }
}
