// The client in Electron, over IPC. Host and window share one process lifetime, so there is no
// reconnect.
import type { HostClient } from '#shared/api/client.ts';
import { readAnswer, readFeedMessage, unreachable } from '#renderer/client/answer.ts';
import type { HoldfastBridge } from '#renderer/client/bridge.ts';

export function createElectronClient(bridge: HoldfastBridge): HostClient {
  return {
    async call(name, input) {
      const answer = await bridge.call(name, input).catch((cause: unknown) => {
        throw unreachable(cause);
      });
      return readAnswer(name, answer);
    },
    subscribe(onMessage, onState) {
      onState?.('connecting');
      return bridge.subscribe((body) => {
        const message = readFeedMessage(body);
        if (message.type === 'hello') onState?.('open');
        onMessage(message);
      });
    },
  };
}
