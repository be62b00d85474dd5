// Both devices may dial at the same time. Both apply the same rule: the link that the device with the
// smaller id dialled stays.

/** Whether the incoming link replaces the existing one. */
export function replacesLink(
  ours: string,
  theirs: string,
  isDialledByUs: { readonly existing: boolean; readonly incoming: boolean },
): boolean {
  // A device dials again only after its previous link died.
  if (isDialledByUs.existing === isDialledByUs.incoming) return true;
  return isDialledByUs.incoming === ours < theirs;
}
