import type { FractionalPercent } from '../generated/envoy/type/v3/FractionalPercent.js';

const MILLIONTHS_PER_PERCENT = 10_000;

/** @param percent 0 to 100, exact to a ten thousandth */
export function fractionalPercent(percent: number): FractionalPercent {
  return { numerator: Math.round(percent * MILLIONTHS_PER_PERCENT), denominator: 'MILLION' };
}
