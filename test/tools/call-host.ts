// The context that a tool call gets from the engine, for tests: secrets, a masker, the system clock.
import { systemClock } from '#main/platform/system.ts';
import { createMasker, type Masker } from '#main/secrets/masker.ts';
import type { CallHost } from '#main/tools/call-tool.ts';
import { doorwayOfRead } from '#main/tools/outside-hosts/doorway.ts';
import { OutsideHosts } from '#main/tools/outside-hosts/outside-hosts.ts';
import type { Sending } from '#main/tools/tool.ts';
import { SecretMissing } from '#main/secrets/secret-missing.ts';

export const SECRET_VALUE = 'sesame-0pen&now';

export interface TestHost extends CallHost, Sending {
  readonly masker: Masker;
  readonly stop: () => void;
}

/** Hosts of a device without limits. */
export function unlimitedHosts(): OutsideHosts {
  return new OutsideHosts({
    clock: systemClock,
    random: () => 0,
    limitsOf: () => [],
    holds: { load: () => ({}), save: () => undefined },
    circuits: { load: () => ({}), save: () => undefined },
  });
}

export function testHost(secrets: { readonly [name: string]: string } = {}): TestHost {
  const known: { readonly [name: string]: string } = { token: SECRET_VALUE, ...secrets };
  const controller = new AbortController();
  return {
    secret: async (name) => {
      const value = known[name];
      if (value === undefined) throw new SecretMissing(name);
      return value;
    },
    masker: createMasker(),
    clock: systemClock,
    signal: controller.signal,
    doorway: doorwayOfRead(unlimitedHosts(), 'w1', controller.signal),
    maySend: () => null,
    wasSentBefore: false,
    stop: () => controller.abort(),
  };
}
