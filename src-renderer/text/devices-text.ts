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
  greeting: 'Greeting',
  'catching-up': 'Catching up',
  'update-needed': 'Update needed',
  linked: 'Linked',
  away: 'Away',
  unpaired: 'Unpaired',
  known: 'Known through others',
};

/** What a person can do when a link ended that way. */
export const LINK_NEXT_STEPS: Readonly<Record<LinkEndName, string>> = {
  closing: 'Nothing to do: it is linked again when Holdfast runs there.',
  closed: 'Nothing to do.',
  'connection-lost':
    'Nothing to do, if it was moved or is asleep. Else look at the network between the two.',
  silent: 'See that it is awake and in a network that this device can reach.',
  duplicate: 'Nothing to do.',
  unreachable: 'Start Holdfast there. If its address has changed, try the new one.',
  'wrong-key':
    'Its address may belong to another machine now: try the new one. If Holdfast was set up anew there, unpair it and pair it again.',
  'no-certificate': 'Something else answers at its address. Try the right one.',
  'unknown-device': 'Unpair it here, then pair the two again.',
  unpaired: 'Pair the two again, if you want them to share on.',
  'wrong-protocol': 'Something else answers at its address. Try the right one.',
  'version-too-old': 'Update Holdfast on the older of the two.',
  'handshake-timeout': 'The network may be slow or closed. It is tried again.',
  'frame-too-large': 'Update Holdfast on both. If it happens again, unpair it.',
  garbled: 'Update Holdfast on both. If it happens again, unpair it.',
  'listener-failed': 'Look into the log of this host, then restart Holdfast.',
};

export const devicesText = {
  title: 'Devices',
  loading: 'Loading devices',
  pair: 'Pair a device',
  own: 'This device',
  paired: 'Paired devices',
  others: 'Other devices',
  emptyTitle: 'No other device is paired',
  emptyHint:
    'Paired devices share all workflows, runs and questions directly with each other, encrypted, without a server. What one cannot know, you can settle on any of them.',
  name: 'Name',
  nameHint: 'What your other devices call this one.',
  rename: 'Rename',
  save: 'Save',
  renamed: 'Renamed.',
  id: 'Device id',
  lastSeen: 'Last seen',
  never: 'Never yet',
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
  notMet: 'Everything, when they meet',
  onlyItKnows: 'Known when it is back',
  whenLinked: 'Being counted',
  problem: 'No link:',
  syncProblem: 'Not in sync:',
  nextStep: 'What to do:',
  reason: (name: string) => `Reason: ${name}`,
  progress: 'First exchange',
  incoming: 'Receiving',
  outgoing: 'Sending',
  of: (done: number, total: number) => `${count(done)} of ${count(total)}`,
  preparing: 'Preparing…',
  goOn: 'You can go on working meanwhile.',
  reach: 'Try another address…',
  reachTitle: (name: string) => `Reach “${name}”`,
  reachAddress: 'Address',
  reachHint: 'As that device shows it, like 192.168.1.20:47470.',
  reachSubmit: 'Try it',
  reached: 'It is being tried.',
  unpair: 'Unpair…',
  unpairTitle: (name: string) => `Unpair “${name}”?`,
  unpairWhat: [
    'From now on the two exchange nothing. The other one learns it at once, or when it next comes.',
    'What was shared until now stays on both: runs, history, decisions. Nothing is deleted.',
    'Workflows that it runs go on there. To run one here, take it over first.',
    'Other devices that it is paired with stay paired with it.',
  ],
  unpairWarning: 'To share again, the two have to be paired again.',
  unpairSubmit: 'Unpair',
  unpaired: (name: string, wasLinked: boolean) =>
    wasLinked
      ? `“${name}” is unpaired, and has been told.`
      : `“${name}” is unpaired. It is away, and learns it when it next comes.`,
  unpairedAt: 'Unpaired',
  pairAgain: 'Pair again',
  knownHint: 'Paired with another of your devices. What it shares comes through that one.',
} as const;

export const pairingText = {
  title: 'Pair a device',
  ways: 'Ways to pair',
  link: 'Show a link',
  join: 'Open a link',
  nearby: 'Nearby',
  linkHint:
    'Open this link on the other device, under Devices, or scan it there. It works once, for ten minutes. Whoever has it can pair: show it only to yourself.',
  making: 'Making a link',
  linkField: 'Pairing link',
  copy: 'Copy link',
  copied: 'Copied',
  copyFailed: 'Copying is not allowed here. Select the link and copy it by hand.',
  qr: 'The link as a QR code',
  validFor: (time: string) => `Valid for ${time}`,
  expired: 'This link has expired.',
  ended: 'Somebody tried three times with a wrong link, so this one was ended.',
  gone: 'This link is gone: Holdfast was restarted.',
  again: 'Make a new link',
  inTerminal: 'In a terminal of the other device:',
  waiting: 'Waiting for the other device…',
  done: (name: string) => `Paired with “${name}”`,
  doneHint: 'From now on both share everything. The first exchange has begun.',
  toDevices: 'To the devices',
  joinField: 'Pairing link',
  joinPlaceholder: 'holdfast://pair?…',
  joinHint: 'As the other device shows it under Devices, or with “holdfast pair”.',
  joinSubmit: 'Pair',
  joining: 'Pairing…',
  joinWith: (id: string, place: string) => `This pairs with the device ${id} at ${place}.`,
  joinWhat:
    'Both will share all workflows, runs and questions. What is here stays here and is shared with it.',
  nextStep: 'What to do:',
  reason: (name: string) => `Reason: ${name}`,
  nearbyHint:
    'Both devices are in one network and you can see both screens. One lets itself be found, the other picks it; then you compare six digits.',
  beFound: 'Let this device be found',
  found: (time: string) => `This device can be found for ${time}. Now pick it on the other one.`,
  ownAddresses: (addresses: string) => `Or type its address there: ${addresses}`,
  look: 'Devices that can be found',
  lookAgain: 'Look again',
  looking: 'Looking around…',
  nobody: 'No device nearby lets itself be found. Begin on the other one, then look again.',
  notWaiting: 'does not let itself be found yet',
  alreadyPaired: 'already paired',
  compare: 'Compare',
  compareWith: (name: string) => `Compare with ${name}`,
  byAddress: 'Address of the other device',
  byAddressHint: 'Where the network does not let devices find each other, like 192.168.1.20:47470.',
  connecting: 'Connecting…',
  digits: 'Compare these digits',
  digitsHint: (name: string) => `“${name}” must show the same six digits. Look at its screen.`,
  same: 'They are the same',
  differ: 'They differ',
  confirmed: 'Confirmed here. Now confirm on the other device.',
  startOver: 'Start over',
} as const;

export function deviceStatusOf({ state, sync }: DeviceView): DeviceStatus {
  if (sync?.state === 'update-needed' && state !== 'unpaired') return 'update-needed';
  if (state !== 'linked') return state;
  if (sync === null || sync.state === 'ended') return 'linked';
  return sync.state;
}
