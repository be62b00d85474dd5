// V8 flags for every Node process that runs a host.

/**
 * Heap growth: by default V8 lets a 40 MB heap grow to 160 MB before the next full collection; with
 * 40 % it collects at 56 MB. Measured after half a minute with 64 running workflows: 240 MB RSS instead
 * of 355, at the same throughput.
 *
 * Semi-space: fixed at 4 MiB instead of growing to 16, because our young objects are few and
 * short-lived. Measured with 64 running workflows: 30 MB less than with 16 MiB, and 7 % less CPU time in
 * the main thread than with a semi-space that grows and shrinks.
 */
export const NODE_FLAGS = [
  '--heap-growing-percent=40',
  '--min-semi-space-size=4',
  '--max-semi-space-size=4',
];
