// A fault that random inputs do not find, but coverage-guided ones do: each right byte reaches a new
// block.
export function plantedFault(input: Uint8Array): void {
  if (input[0] !== 0x48) return;
  if (input[1] !== 0x6f) return;
  if (input[2] !== 0x6c) return;
  throw new Error('found');
}
