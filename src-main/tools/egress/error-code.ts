// Interprets the error code of a failed connection.

/** Errors that concern the network of this machine, not one host. */
const OF_THE_NETWORK = ['ENETUNREACH', 'ENETDOWN', 'EAI_AGAIN', 'EADDRNOTAVAIL', 'ENONET'];

export function isOfTheNetwork(error: Error): boolean {
  return OF_THE_NETWORK.includes(codeOf(error));
}

/** Several failed addresses give an AggregateError; its code is its own or one of its parts'. */
export function codeOf(error: Error): string {
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error instanceof AggregateError && error.errors[0] instanceof Error
    ? codeOf(error.errors[0])
    : '';
}
