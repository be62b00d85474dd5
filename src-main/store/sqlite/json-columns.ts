// Rows with columns that hold JSON text.

/** `Value` as its row stores it: these columns are JSON text. */
export type WithJsonText<Value, Column extends keyof Value> = Omit<Value, Column> & {
  readonly [column in Column]: null extends Value[column] ? string | null : string;
};

export function parseJson<Value>(text: string | null): Value | null {
  return text === null ? null : (JSON.parse(text) as Value);
}
