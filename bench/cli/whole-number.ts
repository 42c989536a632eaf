import { UsageError } from './usage-error.js';

export interface WholeNumberRange {
  readonly from: number;
  readonly to: number;
}

/** Reads a flag's whole number. Throws UsageError naming the flag, the value and the range. */
export function parseWholeNumber(flag: string, value: string | undefined, range: WholeNumberRange): number {
  const number = value !== undefined && /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
  if (number >= range.from && number <= range.to) return number;
  throw new UsageError(`${flag}: "${value ?? ''}" is not a whole number from ${range.from} to ${range.to}.`);
}

/** Reads a flag's list of whole numbers, which commas separate. */
export function parseWholeNumbers(flag: string, value: string | undefined, range: WholeNumberRange): readonly number[] {
  return (value ?? '').split(',').map((each) => parseWholeNumber(flag, each, range));
}
