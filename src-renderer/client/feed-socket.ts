// The change feed over a WebSocket that reconnects forever. The host sends `hello` on each
// connection, which makes the stores reload.
import type { ConnectionState } from '#shared/api/client.ts';
import type { FeedMessage } from '#shared/api/feed.ts';
import { parseFeedMessage } from '#renderer/client/parse-response.ts';
import { backoffDelay } from '#renderer/client/backoff.ts';

export interface FeedSocketOptions {
  connect(): WebSocket;
  /**
   * Called after a connection that never opened. A browser can't distinguish a refused token from a
   * missing host, but a call can. False stops reconnecting.
   */
  canRetry(): Promise<boolean>;
  onMessage(message: FeedMessage): void;
  onState(state: ConnectionState): void;
  random(): number;
}

export function openFeedSocket(options: FeedSocketOptions): () => void {
  let isStopped = false;
  let attempt = 0;
  let socket: WebSocket | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const open = (): void => {
    options.onState('connecting');
    const current = options.connect();
    let hasGreeted = false;
    socket = current;
    current.addEventListener('message', (event: MessageEvent<unknown>) => {
      if (isStopped || socket !== current) return;
      const message = parseFeedMessage(parse(event.data));
      if (!hasGreeted) {
        hasGreeted = true;
        attempt = 0;
        options.onState('open');
      }
      options.onMessage(message);
    });
    current.addEventListener('close', () => {
      if (isStopped || socket !== current) return;
      socket = undefined;
      options.onState('closed');
      void retry(hasGreeted);
    });
  };

  const retry = async (greeted: boolean): Promise<void> => {
    if (!greeted && !(await options.canRetry())) return;
    if (isStopped) return;
    timer = setTimeout(open, backoffDelay(attempt, options.random()));
    attempt += 1;
  };

  open();
  return () => {
    isStopped = true;
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
