// How reads and effects enter an outside host: a read waits for its turn, an effect already had it.
import type {
  Doorway,
  HostVisit,
  HostWait,
  OutsideHosts,
} from '#main/tools/outside-hosts/outside-hosts.ts';
import type { ToolFailure, WaitsFor } from '#main/tools/tool.ts';

/** A read or a check waits for its turn at the first host. Later ones are redirects. */
export function doorwayOfRead(
  hosts: OutsideHosts,
  workflowId: string,
  signal: AbortSignal,
): Doorway & { close(): void } {
  const visits: HostVisit[] = [];
  return {
    async enter(host) {
      const isFirst = visits.length === 0;
      const entered = isFirst ? await hosts.enter(host, workflowId, signal) : hosts.enterNow(host);
      if (entered.type === 'entered') visits.push(entered);
      return entered;
    },
    close: () => leaveAll(visits),
  };
}

/** An effect is in flight and can't wait: it had its turn before (`visit`). */
export function doorwayOfEffect(
  hosts: OutsideHosts,
  visit: HostVisit | null,
): Doorway & { close(): void } {
  const visits = visit ? [visit] : [];
  let unused = visit;
  return {
    async enter(host) {
      if (unused?.host === host) {
        // The host may have asked to wait, or become unreachable, since this call got its turn.
        const wait = hosts.waitOfVisit(unused);
        if (wait) return wait;
        const own = unused;
        unused = null;
        return own;
      }
      const entered = hosts.enterNow(host);
      if (entered.type === 'entered') visits.push(entered);
      return entered;
    },
    close: () => leaveAll(visits),
  };
}

/** A visit that a tool has left already is not affected. */
function leaveAll(visits: readonly HostVisit[]): void {
  for (const visit of visits) visit.leave({ type: 'unanswered' });
}

/** A call that sent nothing, because its host waits. The run starts over without a failure. */
export function heldBack({ host, until }: HostWait): ToolFailure {
  const what =
    until === null
      ? `Waiting for ${host}, which could not be reached.`
      : `Waiting for ${host} until ${new Date(until).toISOString()}.`;
  return {
    errorType: 'network',
    error: `${what} Nothing was sent. Holdfast retries automatically.`,
    waitsFor: { host, until },
  };
}

/** The field that a failure gets if its call waits for a host. */
export function waitsForOf(wait: HostWait | null): { waitsFor?: WaitsFor } {
  return wait ? { waitsFor: { host: wait.host, until: wait.until } } : {};
}
