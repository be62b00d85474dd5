// The part of a comparison that is the same on both sides: six digits are shown, both people
// answer, and only two times yes is a yes.

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
