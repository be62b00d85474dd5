// Rows with columns that hold JSON text.

/** `Value` as its row stores it: these columns are JSON text. */
export type WithJsonText<Value, Column extends keyof Value> = Omit<Value, Column> & {
  readonly [column in Column]: null extends Value[column] ? string | null : string;
};

/**
 * Only a part of the row has arrived. A peer sends changes by version, so a column that was written
 * again since then follows in a later frame, usually at once.
 */
export class NotMergedYet extends Error {
  constructor() {
    super('it has only arrived in part; the rest comes with the next sync');
    this.name = 'NotMergedYet';
  }
}

/** A column whose change has not been merged yet holds its default, which says nothing. */
export function expectMerged(value: unknown): void {
  if (value === undefined || value === null) throw new NotMergedYet();
}

export function parseJson<Value>(text: string | null): Value | null {
  return text === null ? null : (JSON.parse(text) as Value);
}
