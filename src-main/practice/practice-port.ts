/** The sample workflow contains this port. */
export const PRACTICE_PORT = 8808;
