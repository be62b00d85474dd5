// The state of a digit comparison, the same on both devices: both show six digits, and both people must
// confirm.

export interface Comparing {
  readonly digits: string;
  readonly peerName: string;
  readonly isConfirmedHere: boolean;
  readonly isConfirmedThere: boolean;
}

export function showDigits(digits: string, peerName: string): Comparing {
  return { digits, peerName, isConfirmedHere: false, isConfirmedThere: false };
}

export function isMatch({ isConfirmedHere, isConfirmedThere }: Comparing): boolean {
  return isConfirmedHere && isConfirmedThere;
}
