// The change feed over a WebSocket that is opened again, for ever, whenever it is lost. The host's
// `hello` on each new connection tells the stores to ask again for what they show.
import type { ConnectionState } from '#shared/api/client.ts';
import type { FeedMessage } from '#shared/api/feed.ts';
import { readFeedMessage } from '#renderer/client/parse-response.ts';
import { backoffDelay } from '#renderer/client/backoff.ts';

export interface FeedConnectionOptions {
  connect(): WebSocket;
  /**
   * Asked after a connection that never opened. A browser does not tell a refused key from a host
   * that is gone; a call does. False: it is no use to go on.
   */
  worthRetrying(): Promise<boolean>;
  onMessage(message: FeedMessage): void;
  onState(state: ConnectionState): void;
  random(): number;
}

export function keepFeedConnected(options: FeedConnectionOptions): () => void {
  let stopped = false;
  let attempt = 0;
  let socket: WebSocket | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const open = (): void => {
    options.onState('connecting');
    const current = options.connect();
    let greeted = false;
    socket = current;
    current.addEventListener('message', (event: MessageEvent<unknown>) => {
      if (stopped || socket !== current) return;
      const message = readFeedMessage(parse(event.data));
      if (!greeted) {
        greeted = true;
        attempt = 0;
        options.onState('open');
      }
      options.onMessage(message);
    });
    current.addEventListener('close', () => {
      if (stopped || socket !== current) return;
      socket = undefined;
      options.onState('closed');
      void retry(greeted);
    });
  };

  const retry = async (greeted: boolean): Promise<void> => {
    if (!greeted && !(await options.worthRetrying())) return;
    if (stopped) return;
    timer = setTimeout(open, backoffDelay(attempt, options.random()));
    attempt += 1;
  };

  open();
  return () => {
    stopped = true;
    clearTimeout(timer);
    socket?.close();
  };
}

function parse(data: unknown): unknown {
  try {
    return typeof data === 'string' ? JSON.parse(data) : undefined;
  } catch {
    return undefined;
  }
}
