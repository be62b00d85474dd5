// Handlers of devices, pairing and links.
import { notFound } from '#main/api/not-found.ts';
import type { Handlers } from '#main/api/dispatch.ts';
import { requireDevice } from '#main/api/handlers/require-device.ts';
import type { DeviceSync, SyncStatus } from '#main/sync/device-sync.ts';
import type { Comparison } from '#main/sync/link/comparison.ts';
import type { DeviceLinks } from '#main/sync/link/device-links.ts';
import { PairingFailed } from '#main/sync/link/pairing-failed.ts';
import { deviceLabel, knownDevices, type KnownDevice } from '#main/store/queries/known-devices.ts';
import type { Peer } from '#main/store/tables/peers.ts';
import type { Stores } from '#main/store/stores.ts';
import type {
  ComparisonView,
  DeviceSyncView,
  DeviceView,
  deviceContract,
} from '#shared/api/devices.ts';
import { ApiError } from '#shared/api/errors.ts';
import { labelDevices } from '#shared/device-names.ts';
import { parseAddress } from '#shared/sync/address.ts';
import { explainFailure } from '#shared/sync/pairing/failures.ts';
import type { NamedEnd } from '#shared/sync/link-ends.ts';
import type { Invitation } from '#shared/sync/pairing/invitations.ts';
import type { Progress, SessionState } from '#shared/sync/session.ts';
import { unreachable } from '#shared/rejection.ts';

export interface DeviceHandlerDependencies {
  readonly links: DeviceLinks;
  readonly sync: DeviceSync;
  readonly stores: Stores;
  readonly deviceId: string;
  readonly spaceId: () => string;
  readonly now: () => number;
}

type DeviceHandlers = Pick<Handlers, keyof typeof deviceContract>;

export function createDeviceHandlers(dependencies: DeviceHandlerDependencies): DeviceHandlers {
  const { links, stores, spaceId, now } = dependencies;
  return {
    'devices.list': () => ({ devices: listDevices(dependencies) }),
    'devices.rename': ({ name }) => {
      stores.devices.renameOwn(name);
      links.announce();
      return {};
    },
    'devices.invite': async () => {
      const { link, invitation } = await links.pairing.invite();
      return { link, invitationId: invitation.id, expiresAt: invitation.expiresAt };
    },
    'devices.invitation': ({ invitationId }) => {
      const invitation = links.pairing.invitation(invitationId);
      if (!invitation) throw notFound('invitation', invitationId);
      return describeInvitation(invitation, now());
    },
    'devices.join': async ({ link }) => {
      const { deviceId } = await links.pairing.join(link);
      return { deviceId, name: deviceLabel(stores, deviceId), spaceId: spaceId() };
    },
    'devices.nearby': async () => {
      const paired = new Set(stores.peers.paired().map(({ deviceId }) => deviceId));
      const found = await links.nearby();
      return {
        devices: found.map((device) => ({
          ...device,
          addresses: [...device.addresses],
          isPaired: paired.has(device.deviceId),
        })),
      };
    },
    'devices.compare.open': async () => {
      const { until } = await links.pairing.waitForComparison();
      return { until, addresses: [...links.network.addresses] };
    },
    'devices.compare.start': async ({ addresses }) => {
      for (const address of addresses) requireAddress(address);
      return toComparisonView(await links.pairing.compareWith(addresses));
    },
    'devices.compare.get': () => {
      const { comparison, isWaiting } = links.pairing;
      return { comparison: comparison && toComparisonView(comparison), isWaiting };
    },
    'devices.compare.confirm': ({ comparisonId }) => answerComparison(links, comparisonId, true),
    'devices.compare.reject': ({ comparisonId }) => answerComparison(links, comparisonId, false),
    'devices.unpair': ({ deviceId }) => {
      const { id } = requireDevice(pairedDevices(stores), deviceId, 'paired device');
      const name = deviceLabel(stores, id);
      const wasLinked = links.isLinked(id);
      stores.peers.unpair(id, 'us');
      links.peersChanged();
      return { name, wasLinked };
    },
    'devices.reach': async ({ deviceId, address }) => {
      requireAddress(address);
      const { id } = requireDevice(pairedDevices(stores), deviceId, 'paired device');
      const name = deviceLabel(stores, id);
      if (links.isLinked(id)) return { name, wasLinked: true };
      const end = await links.network.reach(id, address);
      if (end) throw notReached(name, address, end);
      return { name, wasLinked: false };
    },
  };
}

function listDevices({ links, sync, stores, deviceId }: DeviceHandlerDependencies): DeviceView[] {
  const peers = new Map(stores.peers.list().map((peer) => [peer.deviceId, peer]));
  const known = knownDevices(stores);
  const labels = labelDevices(known);
  const own = known.filter(({ id }) => id === deviceId);
  const paired = known.filter(({ id }) => id !== deviceId && peers.has(id));
  const others = known.filter(({ id }) => id !== deviceId && !peers.has(id));
  return [...own, ...paired, ...others].map(({ id, name: ownName }) => {
    const peer = peers.get(id);
    const isPaired = peer?.unpairedAt === null;
    const end = isPaired ? links.lastEnd(id) : null;
    const standing = sync.status(id);
    return {
      id,
      name: labels.get(id) ?? ownName,
      ownName,
      state: id === deviceId ? 'this' : stateOf(peer, links.isLinked(id)),
      pairedAt: peer?.pairedAt ?? null,
      lastSeenAt: peer?.lastSeenAt ?? null,
      unpairedAt: peer?.unpairedAt ?? null,
      addresses: [...(peer?.addresses ?? [])],
      problem: end && { name: end.name, message: end.message },
      sync: isPaired && standing.state ? toSyncView(standing.state) : null,
      syncedAt: standing.syncedAt,
      pending: isPaired ? pendingOf(stores, id, standing, links.isLinked(id)) : null,
    };
  });
}

function pendingOf(
  stores: Stores,
  peerId: string,
  { state, confirmed }: SyncStatus,
  isLinked: boolean,
): NonNullable<DeviceView['pending']> {
  return {
    outgoing: confirmed === null ? null : stores.peerCursors.lackedBy(peerId, confirmed),
    incoming: isLinked ? incomingOf(state) : null,
  };
}

function incomingOf(state: SessionState | null): number | null {
  if (state?.name === 'live') return 0;
  if (state?.name !== 'catching-up' || !state.incoming) return null;
  const { done, total, isCaughtUp } = state.incoming;
  return isCaughtUp ? 0 : Math.max(0, total - done);
}

function stateOf(peer: Peer | undefined, isLinked: boolean): DeviceView['state'] {
  if (!peer) return 'known';
  if (peer.unpairedAt !== null) return 'unpaired';
  return isLinked ? 'linked' : 'away';
}

function toSyncView(session: SessionState): DeviceSyncView {
  switch (session.name) {
    case 'greeting':
      return { state: 'greeting' };
    case 'catching-up': {
      const { incoming, outgoing } = session;
      return {
        state: 'catching-up',
        incoming: toProgress(incoming),
        outgoing: toProgress(outgoing),
      };
    }
    case 'live':
      return { state: 'live', incoming: session.incoming, outgoing: session.outgoing };
    case 'update-needed':
      return { state: 'update-needed', who: session.who, message: session.message };
    case 'ended':
      return { state: 'ended', ...session.end };
    default:
      return unreachable(session);
  }
}

/** Changes written during the catch-up can exceed the total. */
function toProgress(progress: Progress | null): { done: number; total: number } | null {
  return progress && { done: progress.done, total: Math.max(progress.total, progress.done) };
}

function describeInvitation(
  invitation: Invitation,
  now: number,
): { status: 'open' | 'used' | 'expired' | 'ended'; deviceId: string | null } {
  if (invitation.status === 'used') return { status: 'used', deviceId: invitation.usedBy };
  const isExpired = invitation.status === 'open' && now >= invitation.expiresAt;
  return { status: isExpired ? 'expired' : invitation.status, deviceId: null };
}

function answerComparison(
  links: DeviceLinks,
  comparisonId: string,
  isSame: boolean,
): ComparisonView {
  const { pairing } = links;
  const isAccepted = pairing.answer(comparisonId, isSame);
  const { comparison } = pairing;
  if (isAccepted && comparison) return toComparisonView(comparison);
  throw new ApiError({
    type: 'not_found',
    message: `There is no open comparison with the id "${comparisonId}". Nothing was changed.`,
  });
}

function toComparisonView({ id, peer, peerName, digits, state }: Comparison): ComparisonView {
  const failure =
    state.is === 'failed' ? { name: state.why, message: explainFailure(state.why) } : null;
  return { id, deviceId: peer.deviceId, name: peerName, digits, status: statusOf(state), failure };
}

function statusOf(state: Comparison['state']): ComparisonView['status'] {
  switch (state.is) {
    case 'comparing':
      return state.isConfirmedHere ? 'confirmed' : 'comparing';
    case 'paired':
    case 'failed':
      return state.is;
    default:
      return 'preparing';
  }
}

function pairedDevices(stores: Stores): KnownDevice[] {
  const paired = new Set(stores.peers.paired().map(({ deviceId }) => deviceId));
  return knownDevices(stores).filter(({ id }) => paired.has(id));
}

function notReached(name: string, address: string, end: NamedEnd): ApiError {
  const why =
    end.name === 'unreachable'
      ? 'Nothing responds there. Make sure that the device is on, that Holdfast runs on it, and that the address is right.'
      : end.message;
  return new ApiError({
    type: 'unreachable',
    message: `Could not connect to "${name}" at ${address}. ${why} Nothing was changed.`,
  });
}

function requireAddress(text: string): void {
  if (parseAddress(text) === null) throw new PairingFailed('bad-address');
}
