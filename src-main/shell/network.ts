// Reports the network state that Electron sees, and the end of a sleep.
import { net, powerMonitor } from 'electron';
import type { Host } from '#main/host/host.ts';
import { systemNetwork, type NetworkSource } from '#main/platform/network.ts';

export const desktopNetwork: NetworkSource = {
  look: () => ({ ...systemNetwork.look(), isOnline: net.isOnline() }),
};

/** After a sleep, work that waits for the outside is tried at once. */
export function retryAfterSleep(host: Host): void {
  powerMonitor.on('resume', () => host.retryOutside());
}
