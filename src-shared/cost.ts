// Costs in microdollars, as whole numbers. Prices and reported amounts are decimal texts or numbers in
// dollars; they are multiplied and added exactly, and rounded once at the end.

/** One call costs less, so a higher amount is a mistake: one million dollars. */
export const MAX_CALL_COST = 1_000_000_000_000;
const MICRO_DIGITS = 6;
/** A longer number is no price; it also bounds the exact arithmetic. */
const MAX_DECIMAL_LENGTH = 40;
const MAX_EXPONENT = 30;

/** `value` units at `usd` dollars each. */
export interface CostPart {
  readonly value: number | string;
  readonly usd: number | string;
}

/** `digits` × 10^-`scale`. */
interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

/** Null if a part is no decimal number, negative, or the sum can't be the cost of one call. */
export function microdollarsOf(parts: readonly CostPart[]): number | null {
  const amounts: Decimal[] = [];
  for (const { value, usd } of parts) {
    const [units, price] = [decimalOf(value), decimalOf(usd)];
    if (!units || !price) return null;
    amounts.push({ digits: units.digits * price.digits, scale: units.scale + price.scale });
  }
  const scale = Math.max(MICRO_DIGITS, ...amounts.map((amount) => amount.scale));
  const sum = amounts.reduce(
    (total, amount) => total + amount.digits * 10n ** BigInt(scale - amount.scale),
    0n,
  );
  const unit = 10n ** BigInt(scale - MICRO_DIGITS);
  const rounded = (sum * 2n + unit) / (unit * 2n);
  return rounded <= BigInt(MAX_CALL_COST) ? Number(rounded) : null;
}

/** The shortest text of a number is what its author wrote, so 0.0123 is exactly 123 × 10^-4. */
function decimalOf(value: number | string): Decimal | null {
  const text = String(value).trim();
  if (text.length > MAX_DECIMAL_LENGTH) return null;
  const [, whole, fraction = '', exponent = '0'] =
    /^(?=\.?\d)(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,3}))?$/i.exec(text) ?? [];
  if (whole === undefined || Math.abs(Number(exponent)) > MAX_EXPONENT) return null;
  const scale = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction);
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}

/** Whether a tool or a row may report this as the cost of calls. */
export function isCost(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** For example $12.30, $0.0123, $1,000.000001: at least two digits after the point, at most six. */
export function formatCost(microdollars: number): string {
  const dollars = Math.floor(microdollars / 1e6).toLocaleString('en-US');
  const fraction = String(microdollars % 1e6).padStart(MICRO_DIGITS, '0');
  return `$${dollars}.${fraction.replace(/0{1,4}$/, '')}`;
}
