// Both devices may dial at the same time. Both decide by the same rule which link stays, without a
// word: the one that the device with the smaller id dialled.

/** Whether the new link takes the place of the one that is there. */
export function isNewLinkKept(
  ours: string,
  theirs: string,
  isOursDialled: { readonly there: boolean; readonly coming: boolean },
): boolean {
  // Who dials again knows that its former link is dead, or would not.
  if (isOursDialled.there === isOursDialled.coming) return true;
  return isOursDialled.coming === ours < theirs;
}
