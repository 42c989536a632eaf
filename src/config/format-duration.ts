const SECOND = 1_000_000_000n;

/** Writes nanoseconds in Go's form: `0s`, `100ms`, `1.5s`, `1m0s`, `87600h0m0s`. The inverse of parseDurationNs. */
export function formatDuration(nanoseconds: bigint): string {
  if (nanoseconds === 0n) {
    return '0s';
  }
  const sign = nanoseconds < 0n ? '-' : '';
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  if (size < SECOND) {
    return sign + formatBelowSecond(size);
  }
  const minutes = size / (60n * SECOND);
  const seconds = `${decimal(size % (60n * SECOND), SECOND)}s`;
  if (minutes === 0n) {
    return sign + seconds;
  }
  const hours = minutes / 60n;
  return hours === 0n ? `${sign}${minutes}m${seconds}` : `${sign}${hours}h${minutes % 60n}m${seconds}`;
}

function formatBelowSecond(size: bigint): string {
  if (size < 1_000n) {
    return `${size}ns`;
  }
  return size < 1_000_000n ? `${decimal(size, 1_000n)}µs` : `${decimal(size, 1_000_000n)}ms`;
}

/** `size / unit` in decimal without trailing zeros; `unit` is a power of ten. */
function decimal(size: bigint, unit: bigint): string {
  const fraction = String(size % unit)
    .padStart(String(unit).length - 1, '0')
    .replace(/0+$/, '');
  return fraction === '' ? String(size / unit) : `${size / unit}.${fraction}`;
}
