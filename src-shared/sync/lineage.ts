// How far a version of a peer still means what it meant when we got it.

export interface Lineage {
  readonly id: string;
  /** The last version of this lineage that its device still has. */
  readonly end: number;
}

export interface Cursor {
  readonly lineage: string;
  readonly version: number;
}

export interface Continuation {
  /** Everything of the peer up to here is with us, and still with it. */
  readonly after: number;
  /** The peer has lost what it once gave us: it must get back what is its own, too. */
  readonly rewound: boolean;
}

/**
 * Where to go on with a peer that has these lineages, newest first. The newest one still grows:
 * to have more of it than the peer told means only that this was told some time ago.
 */
export function continueFrom(cursor: Cursor | null, lineages: readonly Lineage[]): Continuation {
  if (!cursor) return { after: 0, rewound: false };
  const known = lineages.find(({ id }) => id === cursor.lineage);
  if (!known) return { after: 0, rewound: true };
  if (known !== lineages[0] && cursor.version > known.end)
    return { after: known.end, rewound: true };
  return { after: cursor.version, rewound: false };
}
