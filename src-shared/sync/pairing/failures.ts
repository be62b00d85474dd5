// Every way in which pairing fails: a name, what happened, and what to do next.

export const PAIRING_FAILURES = {
  'bad-link': {
    message: 'This is not a pairing link that Holdfast can read.',
    next: 'Copy it again, whole, from where the other device shows it.',
  },
  'bad-address': {
    message: 'An address is a name or number with a port, like 192.168.1.20:47470.',
    next: 'Type it as the other device shows it.',
  },
  'same-device': {
    message: 'This link was made on this very device.',
    next: 'Open it on the device that you want to pair with this one.',
  },
  expired: {
    message: 'The link is older than ten minutes.',
    next: 'Make a new one on the other device.',
  },
  'already-used': {
    message: 'The link has been used by another device. A link pairs one device.',
    next: 'Make a new one on the device that invites. If you do not know who used it, look at the devices there and unpair what is not yours.',
  },
  'unknown-invitation': {
    message: 'The other device does not know this link.',
    next: 'It may have been restarted since. Make a new one there.',
  },
  'too-many-tries': {
    message: 'Somebody has tried three times and failed, so this was ended.',
    next: 'Begin again on the device that invites.',
  },
  unreachable: {
    message: 'None of the addresses of the other device answers.',
    next: 'See that it is switched on, that Holdfast runs there, and that both are in the same network.',
  },
  'wrong-device': {
    message: 'Another device answers at this address: it has another key. Nothing was told to it.',
    next: 'See that both are in the same network, then make a new link.',
  },
  'wrong-space': {
    message:
      'This device shares with other devices already, and the one that invites does not belong to them.',
    next: 'Make the link on this device and open it on the other one; or unpair this device from the others first.',
  },
  'clock-off': {
    message: 'The clocks of the two devices differ by more than an hour.',
    next: 'Set the wrong one right, then pair again.',
  },
  'version-too-old': {
    message: 'The two devices have versions of Holdfast that cannot talk to each other.',
    next: 'Update the older one, then pair again.',
  },
  'not-waiting': {
    message: 'The other device is not waiting for a comparison.',
    next: 'Begin there first: let it be found nearby.',
  },
  busy: {
    message: 'One comparison is going on already.',
    next: 'End that one, then begin again.',
  },
  'no-match': {
    message:
      'Somebody said that the digits differ, or what was said before did not fit. Nothing was shared.',
    next: 'Begin again. If they differ once more, somebody may be listening in this network: use a link instead.',
  },
  refused: {
    message: 'The other device refused.',
    next: 'Ask the person there, then begin again.',
  },
  'timed-out': {
    message: 'It took too long.',
    next: 'Begin again, with both devices at hand.',
  },
  gone: {
    message: 'The connection to the other device was lost before they were paired.',
    next: 'Begin again. The same link still works on this device while it is valid.',
  },
  garbled: {
    message: 'The other device said something that makes no sense here.',
    next: 'See that both have the same version of Holdfast, then begin again.',
  },
  'not-kept': {
    message: 'The key of the space could not be written on this device, so it was not paired here.',
    next: 'See that there is room on the disk, then open the same link again.',
  },
  'no-key': {
    message: 'The key of this device was sealed by the desktop app, and cannot be opened here.',
    next: 'Pair in the desktop app, or start it and try again.',
  },
} as const;
export type PairingFailure = keyof typeof PAIRING_FAILURES;

export function isPairingFailure(name: string): name is PairingFailure {
  return Object.hasOwn(PAIRING_FAILURES, name);
}

export function explainFailure(name: PairingFailure): string {
  const { message, next } = PAIRING_FAILURES[name];
  return `${message} ${next}`;
}
