// Rows with columns that hold JSON text.

/** `Value` as its row stores it: these columns are JSON text. */
export type WithJsonText<Value, Column extends keyof Value> = Omit<Value, Column> & {
  readonly [column in Column]: null extends Value[column] ? string | null : string;
};

/** A column whose change has not been merged yet holds its default, which says nothing. */
export function expectMerged(value: unknown): void {
  if (value === undefined || value === null) throw new Error('it has not been merged completely');
}

export function parseJson<Value>(text: string | null): Value | null {
  return text === null ? null : (JSON.parse(text) as Value);
}
