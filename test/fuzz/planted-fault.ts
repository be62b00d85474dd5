// A fault that no random input finds and that whoever is led by what ran does: each right byte
// opens the way to the next.
export function planted(input: Uint8Array): void {
  if (input[0] !== 0x48) return;
  if (input[1] !== 0x6f) return;
  if (input[2] !== 0x6c) return;
  throw new Error('found');
}
