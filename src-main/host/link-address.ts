// The address on which this host listens for other devices: from the command line, else from the
// environment (for services and containers), else every address of the machine.
import type { ListenAddress } from '#main/sync/link/device-links.ts';

export function resolveLinkAddress(chosen: ListenAddress = {}): ListenAddress {
  const { HOLDFAST_LINK_HOST: host, HOLDFAST_LINK_PORT: port } = process.env;
  const fromEnv = /^\d{1,5}$/.test(port ?? '') ? Number(port) : undefined;
  return { host: chosen.host ?? (host || undefined), port: chosen.port ?? fromEnv };
}
