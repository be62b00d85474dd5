// The client in Electron, over IPC. Host and window share one process lifetime, so there is no
// reconnect.
import type { HostClient } from '#shared/api/client.ts';
import {
  parseResponse,
  parseFeedMessage,
  unreachableError,
} from '#renderer/client/parse-response.ts';
import type { HoldfastBridge } from '#renderer/client/electron-bridge.ts';

export function createElectronClient(bridge: HoldfastBridge): HostClient {
  return {
    async call(name, input) {
      const answer = await bridge.call(name, input).catch((cause: unknown) => {
        throw unreachableError(cause);
      });
      return parseResponse(name, answer);
    },
    subscribe(onMessage, onState) {
      onState?.('connecting');
      return bridge.subscribe((body) => {
        const message = parseFeedMessage(body);
        if (message.type === 'hello') onState?.('open');
        onMessage(message);
      });
    },
  };
}
