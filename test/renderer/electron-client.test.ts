// @vitest-environment happy-dom
import { describe, expect, test, vi } from 'vitest';
import type { FeedMessage } from '#shared/api/feed.ts';
import type { HoldfastBridge } from '#renderer/client/electron-bridge.ts';
import { createElectronClient } from '#renderer/client/electron-client.ts';

const bridgeOf = (call: HoldfastBridge['call']) => {
  let say: (message: FeedMessage) => void = () => undefined;
  const stop = vi.fn();
  const bridge: HoldfastBridge = {
    call,
    onOpen: () => undefined,
    subscribe: (onMessage) => {
      say = onMessage;
      return stop;
    },
  };
  return { bridge, stop, say: (message: unknown) => say(message as FeedMessage) };
};

describe('the Electron client', () => {
  test('[UI-2] forwards feed messages and is open after hello', () => {
    const { bridge, say, stop } = bridgeOf(() => Promise.resolve({ ok: true, output: {} }));
    const messages: FeedMessage[] = [];
    const states: string[] = [];
    const end = createElectronClient(bridge).subscribe(
      (message) => messages.push(message),
      (state) => states.push(state),
    );
    say({ type: 'hello' });
    say({ nonsense: true });
    expect(messages).toEqual([{ type: 'hello' }, { type: 'resync' }]);
    expect(states).toEqual(['connecting', 'open']);
    end();
    expect(stop).toHaveBeenCalledOnce();
  });

  test('a host error is thrown as it is, a broken bridge as unreachable', async () => {
    const error = { type: 'busy', message: 'Later.' } as const;
    const busy = createElectronClient(bridgeOf(() => Promise.resolve({ ok: false, error })).bridge);
    await expect(busy.call('host.info', {})).rejects.toMatchObject(error);
    const broken = createElectronClient(bridgeOf(() => Promise.reject(new Error('IPC'))).bridge);
    await expect(broken.call('host.info', {})).rejects.toMatchObject({ type: 'unreachable' });
  });
});
