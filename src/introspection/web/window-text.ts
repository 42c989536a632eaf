import type { QuotaUse } from '../../policy/quota/quota-use.js';

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** The window of a quota: `1 minute, rolling window`, `30 days, rolling window`, `1 calendar month`. */
export function windowText({ validDurationMs, window }: Pick<QuotaUse, 'validDurationMs' | 'window'>): string {
  if (window === 'week' || window === 'month') return `1 calendar ${window}`;
  const unit = UNITS.find(([, lengthMs]) => validDurationMs > 0 && validDurationMs % lengthMs === 0);
  const length = unit === undefined ? `${validDurationMs / 1000} s` : lengthText(validDurationMs / unit[1], unit[0]);
  return `${length}, ${window} window`;
}

function lengthText(number: number, unit: string): string {
  return `${number.toLocaleString('en')} ${unit}${number === 1 ? '' : 's'}`;
}
