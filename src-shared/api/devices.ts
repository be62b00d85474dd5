// Calls about a person's devices: listing, pairing and unpairing them.
import { z } from 'zod';
import { id, millis, name } from '#shared/api/fields.ts';
import { MAX_ADDRESS_LENGTH, MAX_PEER_ADDRESSES } from '#shared/limits.ts';
import { MAX_LINK_LENGTH } from '#shared/sync/pairing/link.ts';

/**
 * `this`: this device. `linked`: paired and connected. `away`: paired, not connected. `unpaired`: no
 * longer paired with this device. `known`: in the same space, paired with another device.
 */
export const DEVICE_STATES = ['this', 'linked', 'away', 'unpaired', 'known'] as const;

const progress = z.strictObject({ done: z.int(), total: z.int() });

/** The sync state of a device. */
export const deviceSyncSchema = z.discriminatedUnion('state', [
  z.strictObject({ state: z.literal('greeting') }),
  /** Received and sent changes with their totals; null if not started. */
  z.strictObject({
    state: z.literal('catching-up'),
    incoming: progress.nullable(),
    outgoing: progress.nullable(),
  }),
  /** Changes since the link was opened. */
  z.strictObject({ state: z.literal('live'), incoming: z.int(), outgoing: z.int() }),
  z.strictObject({
    state: z.literal('update-needed'),
    who: z.enum(['us', 'peer']),
    message: z.string(),
  }),
  z.strictObject({ state: z.literal('ended'), name: z.string(), message: z.string() }),
]);
export type DeviceSyncView = z.infer<typeof deviceSyncSchema>;

/** Changes that one device has and the other lacks. Null if not paired. */
const pendingSchema = z.strictObject({
  /** Changes that it has not confirmed, possibly a lower bound; null before the first sync. */
  outgoing: z.strictObject({ changes: z.int(), isMore: z.boolean() }).nullable(),
  /** Changes that it announced; null if it is not connected. */
  incoming: z.int().nullable(),
});

export const deviceSchema = z.strictObject({
  id,
  /** Unique among the devices: with the beginning of the id if another has the same name. */
  name: z.string(),
  /** The name as the person chose it. */
  ownName: z.string(),
  state: z.enum(DEVICE_STATES),
  pairedAt: millis.nullable(),
  lastSeenAt: millis.nullable(),
  unpairedAt: millis.nullable(),
  /** Its last known addresses. */
  addresses: z.array(z.string()),
  /** Why there is no link, if known. */
  problem: z.strictObject({ name: z.string(), message: z.string() }).nullable(),
  /** Null if it is not paired or has not connected since the host started. */
  sync: deviceSyncSchema.nullable(),
  /** When both devices last had all changes of each other. */
  syncedAt: millis.nullable(),
  pending: pendingSchema.nullable(),
});
export type DeviceView = z.infer<typeof deviceSchema>;

const address = z.string().min(1).max(MAX_ADDRESS_LENGTH);

export const comparisonSchema = z.strictObject({
  id,
  deviceId: id,
  /** The peer's own name; null until it has sent it. */
  name: z.string().nullable(),
  /** Six digits that both devices must show; null until they are known. */
  digits: z.string().nullable(),
  status: z.enum(['preparing', 'comparing', 'confirmed', 'paired', 'failed']),
  failure: z.strictObject({ name: z.string(), message: z.string() }).nullable(),
});
export type ComparisonView = z.infer<typeof comparisonSchema>;

/** `deviceId` in an input: the full id, the name, or an unambiguous beginning of the id. */
export const deviceContract = {
  'devices.list': {
    input: z.strictObject({}),
    output: z.strictObject({ devices: z.array(deviceSchema) }),
  },
  'devices.rename': {
    input: z.strictObject({ name }),
    output: z.strictObject({}),
  },
  /** A link that pairs one device with this one, valid for ten minutes. */
  'devices.invite': {
    input: z.strictObject({}),
    output: z.strictObject({ link: z.string(), invitationId: id, expiresAt: millis }),
  },
  'devices.invitation': {
    input: z.strictObject({ invitationId: id }),
    output: z.strictObject({
      status: z.enum(['open', 'used', 'expired', 'ended']),
      deviceId: id.nullable(),
    }),
  },
  /** Opens a link of another device and joins its space. */
  'devices.join': {
    input: z.strictObject({ link: z.string().max(MAX_LINK_LENGTH) }),
    output: z.strictObject({ deviceId: id, name: z.string(), spaceId: id }),
  },
  /** Devices that announce themselves by mDNS. */
  'devices.nearby': {
    input: z.strictObject({}),
    output: z.strictObject({
      devices: z.array(
        z.strictObject({
          deviceId: id,
          name: z.string(),
          addresses: z.array(z.string()),
          isWaiting: z.boolean(),
          isPaired: z.boolean(),
        }),
      ),
    }),
  },
  /** Lets this device accept a comparison for ten minutes. */
  'devices.compare.open': {
    input: z.strictObject({}),
    /** `addresses` of this device, for a peer that cannot discover it. */
    output: z.strictObject({ until: millis, addresses: z.array(z.string()) }),
  },
  /** Starts a comparison with a waiting device; returns once the digits are known. */
  'devices.compare.start': {
    input: z.strictObject({ addresses: z.array(address).min(1).max(MAX_PEER_ADDRESSES) }),
    output: comparisonSchema,
  },
  /** The current comparison, or the last one. */
  'devices.compare.get': {
    input: z.strictObject({}),
    output: z.strictObject({ comparison: comparisonSchema.nullable(), isWaiting: z.boolean() }),
  },
  /** The person confirms that the other device shows the same digits. */
  'devices.compare.confirm': {
    input: z.strictObject({ comparisonId: id }),
    output: comparisonSchema,
  },
  'devices.compare.reject': {
    input: z.strictObject({ comparisonId: id }),
    output: comparisonSchema,
  },
  /** Takes effect immediately. The peer is notified now or on its next connection. Shared data stays. */
  'devices.unpair': {
    input: z.strictObject({ deviceId: id }),
    output: z.strictObject({ name: z.string(), wasLinked: z.boolean() }),
  },
  /** Dials a paired device at an address that a person entered, and waits for the link. */
  'devices.reach': {
    input: z.strictObject({ deviceId: id, address }),
    /** `wasLinked`: already linked, so the address was not tried. */
    output: z.strictObject({ name: z.string(), wasLinked: z.boolean() }),
  },
} as const;
