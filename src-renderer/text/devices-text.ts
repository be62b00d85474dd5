// Devices and pairing.
import type { DeviceView } from '#shared/api/devices.ts';
import type { LinkEndName } from '#shared/sync/link-ends.ts';
import { count, counted } from '#renderer/text/numbers.ts';

export const DEVICE_STATUSES = [
  'this',
  'live',
  'greeting',
  'catching-up',
  'update-needed',
  'linked',
  'away',
  'unpaired',
  'known',
] as const;
export type DeviceStatus = (typeof DEVICE_STATUSES)[number];

export const DEVICE_LABELS: Readonly<Record<DeviceStatus, string>> = {
  this: 'This device',
  live: 'In sync',
  greeting: 'Connecting',
  'catching-up': 'Catching up',
  'update-needed': 'Update needed',
  linked: 'Connected',
  away: 'Not connected',
  unpaired: 'Unpaired',
  known: 'Via another device',
};

/** The next step for a person after a link ended for this reason. */
export const LINK_NEXT_STEPS: Readonly<Record<LinkEndName, string>> = {
  closing: 'Nothing to do. The devices reconnect when Holdfast starts there.',
  closed: 'Nothing to do.',
  'connection-lost':
    'Nothing to do if the other device is asleep or on the move. Otherwise, check the network between the two.',
  silent: 'Make sure the device is awake and on a network this one can reach.',
  duplicate: 'Nothing to do.',
  unreachable: 'Start Holdfast there. If its address changed, enter the new one.',
  'wrong-key':
    'The address may belong to another machine now: enter the new one. If you set up Holdfast from scratch there, unpair the device and pair it again.',
  'no-certificate': 'Something else is listening at this address. Enter the right one.',
  'unknown-device': 'Unpair the device here, then pair the two again.',
  unpaired: 'Pair the two again to keep sharing.',
  'wrong-protocol': 'Something else is listening at this address. Enter the right one.',
  'version-too-old': 'Update Holdfast on the device with the older version.',
  'handshake-timeout': 'The network may be slow or blocked. Holdfast keeps trying.',
  'frame-too-large': 'Update Holdfast on both devices. If it happens again, unpair them.',
  garbled: 'Update Holdfast on both devices. If it happens again, unpair them.',
  'went-back': 'Nothing to do. The devices reconnect and exchange the missing changes.',
  'listener-failed': 'Check this host’s log, then restart Holdfast.',
};

export const devicesText = {
  title: 'Devices',
  loading: 'Loading devices',
  pair: 'Pair a device',
  own: 'This device',
  paired: 'Paired devices',
  others: 'Other devices',
  emptyTitle: 'No paired devices',
  emptyHint:
    'Paired devices share workflows, runs and questions directly, encrypted, without a server. You can settle an unknown outcome on any of them.',
  name: 'Name',
  nameHint: 'Your other devices show this name.',
  rename: 'Rename',
  save: 'Save',
  id: 'Device id',
  lastSeen: 'Last seen',
  never: 'Never',
  now: 'Now',
  synced: 'Last in sync',
  pairedSince: 'Paired since',
  addresses: 'Addresses',
  noAddresses: 'None known',
  toSend: 'To send',
  toReceive: 'To receive',
  nothing: 'Nothing',
  changes: (changes: number, isMore: boolean) =>
    isMore
      ? `More than ${counted(changes, 'change', 'changes')}`
      : counted(changes, 'change', 'changes'),
  notMet: 'Everything, once connected',
  onlyItKnows: 'Unknown until it’s back',
  whenLinked: 'Counting…',
  problem: 'Not connected:',
  syncProblem: 'Not in sync:',
  nextStep: 'Next step:',
  reason: (name: string) => `Reason: ${name}`,
  incoming: 'Receiving',
  outgoing: 'Sending',
  of: (done: number, total: number) => `${count(done)} of ${count(total)}`,
  preparing: 'Preparing…',
  keepWorking: 'You can keep working meanwhile.',
  reach: 'Try another address…',
  reachTitle: (name: string) => `Connect to “${name}”`,
  reachAddress: 'Address',
  reachHint: 'Copy it from that device, for example 192.168.1.20:47470.',
  reachSubmit: 'Connect',
  unpair: 'Unpair…',
  unpairTitle: (name: string) => `Unpair “${name}”?`,
  unpairWhat: [
    'The two devices stop syncing. The other one learns this now, or when it next connects.',
    'Shared runs, history and decisions stay on both. Nothing is deleted.',
    'Its workflows keep running there. To run one here, take it over first.',
    'It stays paired with your other devices.',
  ],
  unpairWarning: 'To share again, you’ll have to pair them again.',
  unpairSubmit: 'Unpair',
  unpaired: (name: string, wasLinked: boolean) =>
    wasLinked
      ? `Unpaired “${name}”. It has been notified.`
      : `Unpaired “${name}”. It learns this when it next connects.`,
  unpairedAt: 'Unpaired',
  pairAgain: 'Pair again',
  knownHint: 'Paired with another of your devices. Its changes arrive through that one.',
} as const;

export const pairingText = {
  title: 'Pair a device',
  ways: 'Ways to pair',
  link: 'Show a link',
  join: 'Open a link',
  nearby: 'Nearby',
  linkHint:
    'Open or scan this link on the other device, under Devices. It works once, for ten minutes. Anyone who has it can pair, so keep it private.',
  making: 'Creating a link',
  linkField: 'Pairing link',
  copy: 'Copy link',
  copied: 'Copied',
  copyFailed: 'Copying isn’t allowed here. Select the link and copy it yourself.',
  qr: 'The link as a QR code',
  validFor: (time: string) => `Valid for ${time}`,
  expired: 'This link has expired.',
  ended: 'This link was revoked after three failed attempts.',
  gone: 'This link is no longer valid because Holdfast restarted.',
  again: 'Create a new link',
  inTerminal: 'In a terminal on the other device:',
  waiting: 'Waiting for the other device…',
  done: (name: string) => `Paired with “${name}”`,
  doneHint: 'Both devices now share everything. The first sync has started.',
  toDevices: 'View devices',
  joinField: 'Pairing link',
  joinPlaceholder: 'holdfast://pair?…',
  joinHint: 'The other device shows it under Devices, or prints it with “holdfast pair”.',
  joinSubmit: 'Pair',
  joining: 'Pairing…',
  joinWith: (id: string, place: string) => `This pairs with device ${id} at ${place}.`,
  joinWhat: 'The two will share all workflows, runs and questions, including those already here.',
  nextStep: 'Next step:',
  reason: (name: string) => `Reason: ${name}`,
  nearbyHint:
    'For two devices on one network whose screens you can both see. Make one discoverable, pick it on the other, then compare six digits.',
  beFound: 'Make this device discoverable',
  found: (time: string) => `Discoverable for ${time}. Now pick this device on the other one.`,
  ownAddresses: (addresses: string) => `Or enter its address there: ${addresses}`,
  look: 'Discoverable devices',
  lookAgain: 'Search again',
  looking: 'Searching…',
  nobody: 'No devices found. Make the other one discoverable, then search again.',
  notWaiting: 'not discoverable yet',
  alreadyPaired: 'already paired',
  compare: 'Compare',
  compareWith: (name: string) => `Compare with ${name}`,
  byAddress: 'Address of the other device',
  byAddressHint: 'If devices can’t find each other on this network. Example: 192.168.1.20:47470.',
  connecting: 'Connecting…',
  digits: 'Compare these digits',
  digitsHint: (name: string) => `Check that “${name}” shows the same six digits.`,
  same: 'They match',
  differ: 'They don’t match',
  confirmed: 'Confirmed here. Now confirm on the other device.',
  startOver: 'Start over',
} as const;

export function deviceStatusOf({ state, sync }: DeviceView): DeviceStatus {
  if (sync?.state === 'update-needed' && state !== 'unpaired') return 'update-needed';
  if (state !== 'linked') return state;
  if (sync === null || sync.state === 'ended') return 'linked';
  return sync.state;
}
