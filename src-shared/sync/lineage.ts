// Decides where to continue a sync when the peer's database may have been restored from a backup. Each
// opening of a database starts a lineage; a cursor is valid only within its lineage.

export interface Lineage {
  readonly id: string;
  /** The last version of this lineage that the device still has. */
  readonly end: number;
}

export interface Cursor {
  readonly lineage: string;
  readonly version: number;
}

export interface Continuation {
  /** Both devices have the peer's changes up to this version. */
  readonly after: number;
  /** The peer lost changes that it sent before, so it must get its own changes back. */
  readonly rewound: boolean;
}

/**
 * The point at which to continue with a peer that has these lineages, newest first. The newest lineage
 * still grows, so a cursor beyond its reported end only means that the report is old.
 */
export function continueFrom(cursor: Cursor | null, lineages: readonly Lineage[]): Continuation {
  if (!cursor) return { after: 0, rewound: false };
  const known = lineages.find(({ id }) => id === cursor.lineage);
  if (!known) return { after: 0, rewound: true };
  if (known !== lineages[0] && cursor.version > known.end)
    return { after: known.end, rewound: true };
  return { after: cursor.version, rewound: false };
}
