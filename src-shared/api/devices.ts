// Calls about the devices of a person: which there are, pairing and unpairing them.
import { z } from 'zod';
import { id, millis, name } from '#shared/api/fields.ts';
import { MAX_ADDRESS_LENGTH, MAX_PEER_ADDRESSES } from '#shared/limits.ts';
import { MAX_LINK_LENGTH } from '#shared/sync/pairing/link.ts';

/**
 * `this`: the one that answers. `linked`: paired and connected. `away`: paired, not connected.
 * `unpaired`: no longer paired with this one. `known`: in the same space, paired with another.
 */
export const DEVICE_STATES = ['this', 'linked', 'away', 'unpaired', 'known'] as const;

const progress = z.strictObject({ done: z.int(), total: z.int() });

/** How the sync with a device stands. */
export const deviceSyncSchema = z.discriminatedUnion('state', [
  z.strictObject({ state: z.literal('greeting') }),
  /** Changes that came and went, of how many; null: not begun. */
  z.strictObject({
    state: z.literal('catching-up'),
    incoming: progress.nullable(),
    outgoing: progress.nullable(),
  }),
  /** Changes since the link was made. */
  z.strictObject({ state: z.literal('live'), incoming: z.int(), outgoing: z.int() }),
  z.strictObject({
    state: z.literal('update-needed'),
    who: z.enum(['us', 'peer']),
    message: z.string(),
  }),
  z.strictObject({ state: z.literal('ended'), name: z.string(), message: z.string() }),
]);
export type DeviceSyncView = z.infer<typeof deviceSyncSchema>;

/** What one has and the other lacks. Null: not paired. */
const pendingSchema = z.strictObject({
  /** Changes that it has not confirmed, or at least so many; null: they have never met. */
  outgoing: z.strictObject({ changes: z.int(), isMore: z.boolean() }).nullable(),
  /** Changes that it has said it will send; null: only it knows, and it is away. */
  incoming: z.int().nullable(),
});

export const deviceSchema = z.strictObject({
  id,
  name: z.string(),
  state: z.enum(DEVICE_STATES),
  pairedAt: millis.nullable(),
  lastSeenAt: millis.nullable(),
  unpairedAt: millis.nullable(),
  /** Where it was last known to answer. */
  addresses: z.array(z.string()),
  /** Why there is no link, where that is known. */
  problem: z.strictObject({ name: z.string(), message: z.string() }).nullable(),
  /** Null: not paired, or not met since the host was started. */
  sync: deviceSyncSchema.nullable(),
  /** When both last had everything of each other. */
  syncedAt: millis.nullable(),
  pending: pendingSchema.nullable(),
});
export type DeviceView = z.infer<typeof deviceSchema>;

const address = z.string().min(1).max(MAX_ADDRESS_LENGTH);

export const comparisonSchema = z.strictObject({
  id,
  deviceId: id,
  /** As it calls itself; null until it has said so. */
  name: z.string().nullable(),
  /** Six digits that both devices must show; null until they are known. */
  digits: z.string().nullable(),
  status: z.enum(['preparing', 'comparing', 'confirmed', 'paired', 'failed']),
  failure: z.strictObject({ name: z.string(), message: z.string() }).nullable(),
});
export type ComparisonView = z.infer<typeof comparisonSchema>;

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
  /** Opens a link of another device: this one takes its space. */
  'devices.join': {
    input: z.strictObject({ link: z.string().max(MAX_LINK_LENGTH) }),
    output: z.strictObject({ deviceId: id, name: z.string(), spaceId: id }),
  },
  /** Devices that say by mDNS that they are here. */
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
  /** From now on this device answers comparisons, for ten minutes. */
  'devices.compare.open': {
    input: z.strictObject({}),
    /** `addresses`: where this device answers, for who cannot find it. */
    output: z.strictObject({ until: millis, addresses: z.array(z.string()) }),
  },
  /** With a device that waits for it; answers when the digits are known. */
  'devices.compare.start': {
    input: z.strictObject({ addresses: z.array(address).min(1).max(MAX_PEER_ADDRESSES) }),
    output: comparisonSchema,
  },
  /** The one that goes on, or the last one. */
  'devices.compare.get': {
    input: z.strictObject({}),
    output: z.strictObject({ comparison: comparisonSchema.nullable(), isWaiting: z.boolean() }),
  },
  /** The other device shows the same digits. */
  'devices.compare.confirm': {
    input: z.strictObject({ comparisonId: id }),
    output: comparisonSchema,
  },
  'devices.compare.reject': {
    input: z.strictObject({ comparisonId: id }),
    output: comparisonSchema,
  },
  /** Takes effect at once; the other learns it now, or when it next comes. What was shared stays. */
  'devices.unpair': {
    input: z.strictObject({ deviceId: id }),
    output: z.strictObject({ wasLinked: z.boolean() }),
  },
  /** Dials a paired device at an address that a person knows. */
  'devices.reach': {
    input: z.strictObject({ deviceId: id, address }),
    output: z.strictObject({}),
  },
} as const;
