// Every way in which pairing fails: a name, what happened, and what to do next.

export const PAIRING_FAILURES = {
  'bad-link': {
    message: "This isn't a pairing link that Holdfast can read.",
    next: 'Copy the whole link again from the other device.',
  },
  'bad-address': {
    message: 'An address is a host name or IP address with a port, for example 192.168.1.20:47470.',
    next: 'Enter it as the other device shows it.',
  },
  'same-device': {
    message: 'This link was created on this device.',
    next: 'Open it on the device you want to pair with this one.',
  },
  expired: {
    message: 'The link is older than ten minutes.',
    next: 'Create a new one on the other device.',
  },
  'already-used': {
    message: 'Another device already used this link. Each link works once.',
    next: "Create a new link on the device that showed it. If you don't know who used it, check the devices there and unpair any that aren't yours.",
  },
  'unknown-invitation': {
    message: "The other device doesn't know this link.",
    next: 'It may have restarted since. Create a new link there.',
  },
  'too-many-tries': {
    message: 'The link was revoked after three failed attempts.',
    next: 'Start again on the device that showed the link.',
  },
  unreachable: {
    message: "None of the other device's addresses respond.",
    next: "Make sure it's on, Holdfast is running there, and both devices are in the same network.",
  },
  'wrong-device': {
    message:
      "A different device answered at this address: its key doesn't match. Nothing was sent to it.",
    next: 'Make sure both devices are in the same network, then create a new link.',
  },
  'wrong-space': {
    message:
      "This device already shares a space with others, and the inviting device isn't part of it.",
    next: 'Create the link here and open it on the other device, or unpair this device from the others first.',
  },
  'clock-off': {
    message: 'The clocks of the two devices differ by more than an hour.',
    next: 'Correct the wrong one, then pair again.',
  },
  'version-too-old': {
    message: "The two devices run versions of Holdfast that can't talk to each other.",
    next: 'Update the older one, then pair again.',
  },
  'not-waiting': {
    message: "The other device isn't discoverable.",
    next: 'Make it discoverable first, under Devices.',
  },
  busy: {
    message: 'Another comparison is in progress.',
    next: 'End it, then start again.',
  },
  'no-match': {
    message: "The digits didn't match, or the handshake was inconsistent. Nothing was shared.",
    next: 'Start again. If they differ again, someone may be intercepting this network: use a link instead.',
  },
  refused: {
    message: 'The other device refused.',
    next: 'Ask the person there, then start again.',
  },
  'timed-out': {
    message: 'Pairing timed out.',
    next: 'Start again with both devices at hand.',
  },
  gone: {
    message: 'The connection was lost before the devices were paired.',
    next: 'Start again. The same link still works on this device until it expires.',
  },
  garbled: {
    message: 'The other device sent an unexpected message.',
    next: 'Make sure both devices run the same version of Holdfast, then start again.',
  },
  'not-kept': {
    message: "This device couldn't save the space key, so it wasn't paired.",
    next: 'Free up disk space, then open the same link again.',
  },
  'no-key': {
    message: "The desktop app encrypted this device's key, and this process can't decrypt it.",
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
