// Handlers of limits of outside hosts.
import type { Handlers } from '#main/api/dispatch.ts';
import type { Stores } from '#main/store/stores.ts';
import {
  limitedHosts,
  readHostLimits,
  setHostLimit,
} from '#main/tools/outside-hosts/host-settings.ts';
import type { OutsideHosts } from '#main/tools/outside-hosts/outside-hosts.ts';
import type { OutsideHostView, outsideHostsContract } from '#shared/api/outside-hosts.ts';
import { own } from '#shared/json.ts';
import type { HostLimit } from '#shared/outside/host-limit.ts';

export function createOutsideHostHandlers(
  stores: Stores,
  hosts: OutsideHosts,
): Pick<Handlers, keyof typeof outsideHostsContract> {
  return {
    'hosts.list': () => ({ hosts: listHosts(stores, hosts) }),
    'hosts.retry': () => {
      hosts.retryNow();
      return { hosts: listHosts(stores, hosts) };
    },
    'hosts.setLimit': ({ host, limit }) => {
      setHostLimit(stores, host, limit);
      hosts.limitsChanged();
      return { hosts: listHosts(stores, hosts) };
    },
  };
}

function listHosts(stores: Stores, hosts: OutsideHosts): OutsideHostView[] {
  const limits = readHostLimits(stores);
  const used = hosts.list();
  const idle = limitedHosts(stores)
    .filter((host) => !used.some((one) => one.host === host))
    .map((host) => ({
      host,
      limit: hosts.limitOf(host),
      heldUntil: null,
      downSince: null,
      active: 0,
      waiting: 0,
    }));
  return [...used, ...idle]
    .map(({ host, limit, ...state }) => {
      const set = own(limits, host);
      return { host, ...state, limit: viewOf(limit), own: set ? viewOf(set) : null };
    })
    .toSorted((a, b) => (a.host < b.host ? -1 : 1));
}

function viewOf({ perSecond, concurrent }: HostLimit): OutsideHostView['limit'] {
  return { perSecond: perSecond ?? null, concurrent: concurrent ?? null };
}
