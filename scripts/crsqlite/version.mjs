/** The version that everything here was written for and tried with; see edits.mjs. */
export const CRSQLITE_VERSION = '0.16.3';
