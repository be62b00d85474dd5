/** The version of cr-sqlite that edits.mjs and the release's sha256 are for. */
export const CRSQLITE_VERSION = '0.16.3';
