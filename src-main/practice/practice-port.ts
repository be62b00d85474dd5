/** Named in the sample file, so that people can read where it sends to. */
export const PRACTICE_PORT = 8808;
