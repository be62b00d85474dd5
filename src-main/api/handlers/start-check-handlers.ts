// Handlers of the wait for other devices before anything runs.
import type { Handlers } from '#main/api/dispatch.ts';
import type { StartGate } from '#main/engine/start-gate.ts';
import type { Stores } from '#main/store/stores.ts';
import type { startCheckContract } from '#shared/api/start-check.ts';

export function createStartCheckHandlers(
  gate: StartGate,
  { peers }: Stores,
): Pick<Handlers, keyof typeof startCheckContract> {
  return {
    'startCheck.get': () => {
      const { asking } = gate;
      if (!asking) return { asking: null };
      const waitsFor = asking.waitsFor.map((deviceId) => ({
        deviceId,
        name: peers.get(deviceId)?.name ?? deviceId,
      }));
      return { asking: { ...asking, waitsFor } };
    },
    'startCheck.goOn': () => {
      gate.continueNow();
      return {};
    },
  };
}
