// The limits that hold for a host, and the waits that survive a restart, from settings and workflows.
import type { Stores } from '#main/store/stores.ts';
import type { OutsideHostsOptions } from '#main/tools/outside-hosts/outside-hosts.ts';
import { hostLimitsSchema, type HostLimit, type HostLimits } from '#shared/outside/host-limit.ts';
import { own, type Json } from '#shared/json.ts';

const LIMITS = 'host_limits';
const HOLDS = 'host_holds';
const CIRCUITS = 'host_circuits';

/** The limits that the person has set on this device. */
export function readHostLimits({ settings }: Pick<Stores, 'settings'>): HostLimits {
  return limitsIn(settings.get(LIMITS));
}

/** Null removes the limit of the host. */
export function setHostLimit(
  stores: Pick<Stores, 'settings'>,
  host: string,
  limit: HostLimit | null,
): void {
  const { [host]: _former, ...others } = readHostLimits(stores);
  const limits = limit === null ? others : { ...others, [host]: limit };
  stores.settings.set(LIMITS, limits as Json);
}

/** Hosts with a limit of the person or of an active workflow. */
export function limitedHosts(stores: Pick<Stores, 'settings' | 'workflows'>): string[] {
  return [...new Set(allLimits(stores).flatMap((limits) => Object.keys(limits)))];
}

function allLimits(stores: Pick<Stores, 'settings' | 'workflows'>): HostLimits[] {
  return [readHostLimits(stores), ...stores.workflows.activeConfigs().map(limitsOfConfig)];
}

export function hostSettings(
  stores: Pick<Stores, 'settings' | 'workflows'>,
): Pick<OutsideHostsOptions, 'limitsOf' | 'holds' | 'circuits'> {
  const { settings } = stores;
  return {
    limitsOf: (host) => allLimits(stores).flatMap((limits) => own(limits, host) ?? []),
    holds: timesIn(settings, HOLDS),
    circuits: timesIn(settings, CIRCUITS),
  };
}

/** Parsed once per version of a workflow or of the settings. */
const parsed = new WeakMap<object, HostLimits>();

function limitsOfConfig(config: Json): HostLimits {
  return limitsIn((config as { readonly limits?: Json } | null)?.limits);
}

function limitsIn(value: Json | undefined): HostLimits {
  if (typeof value !== 'object' || value === null) return {};
  const known = parsed.get(value) ?? hostLimitsSchema.safeParse(value).data ?? {};
  parsed.set(value, known);
  return known;
}

function timesIn(
  settings: Stores['settings'],
  key: string,
): OutsideHostsOptions['holds'] & OutsideHostsOptions['circuits'] {
  return {
    load: () => timesOf(settings.get(key)),
    save: (times) => settings.set(key, { ...times }),
  };
}

function timesOf(value: Json | undefined): { [host: string]: number } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([host, until]) =>
      typeof until === 'number' ? [[host, until] as const] : [],
    ),
  );
}
