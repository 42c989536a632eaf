/** Milliseconds of the system's monotonic clock: the same in all threads and processes of the machine. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
