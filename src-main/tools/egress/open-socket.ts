// Opens a TCP connection to an address that the grant reaches, for libraries that would look the name
// up themselves.
import { connect, type LookupFunction, type Socket } from 'node:net';
import { ADDRESS_TIMEOUT_MS, CONNECT_TIMEOUT_MS } from '#main/tools/limits.ts';

export interface SocketTarget {
  readonly host: string;
  readonly port: number;
  readonly lookup: LookupFunction;
  readonly signal: AbortSignal;
}

/** Rejects with the error of the connection. */
export function openSocket({ host, port, lookup, signal }: SocketTarget): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const options = { host, port, lookup, autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS };
    const socket = connect(options);
    const timer = setTimeout(
      () => socket.destroy(new Error(`no connection within ${CONNECT_TIMEOUT_MS} ms`)),
      CONNECT_TIMEOUT_MS,
    );
    const stop = (): void => void socket.destroy(new Error('The call was canceled or timed out.'));
    const failed = (error: Error): void => {
      finish();
      reject(error);
    };
    function finish(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      socket.off('error', failed);
      // The library adds its own listener; until then an error would end the process.
      socket.on('error', () => {});
    }
    signal.addEventListener('abort', stop);
    socket.on('error', failed).on('connect', () => {
      finish();
      resolve(socket);
    });
    if (signal.aborted) stop();
  });
}
