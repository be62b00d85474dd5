// Scenarios that fail on today's code, with the number of their finding. The suite fails when one of
// them passes, so this list only gets shorter.

export const KNOWN_FAILURES: { readonly [scenario: string]: number } = {};
