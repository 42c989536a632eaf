// The documented buckets of pushing begin at 10 or 100 ms, where this server is usually done. Finer buckets are added
// below them, and none is removed.
const MILLISECOND_STEPS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005] as const;

/** Seconds to build and send one type. */
export const PUSH_SECONDS: readonly number[] = [...MILLISECOND_STEPS, 0.01, 0.1, 1, 3, 5, 10, 20, 30];

/** Seconds in the push queue. */
export const QUEUE_SECONDS: readonly number[] = [...MILLISECOND_STEPS, 0.01, 0.025, 0.05, 0.1, 1, 3, 5, 10, 20, 30];

/** Seconds from a change to a proxy that has it. */
export const CONVERGENCE_SECONDS: readonly number[] = [
  ...MILLISECOND_STEPS,
  0.01,
  0.025,
  0.05,
  0.1,
  0.5,
  1,
  3,
  5,
  10,
  20,
  30,
];

/** Seconds to answer a Check of a proxy, which holds a request up. */
export const CHECK_SECONDS: readonly number[] = [
  0.000025,
  0.00005,
  ...MILLISECOND_STEPS,
  0.01,
  0.025,
  0.05,
  0.1,
  0.5,
  1,
  5,
];

/** Seconds that a request of the mesh takes. */
export const REQUEST_SECONDS: readonly number[] = [
  ...MILLISECOND_STEPS,
  0.01,
  0.025,
  0.05,
  0.1,
  0.25,
  0.5,
  1,
  2.5,
  5,
  10,
  30,
  60,
];

/** Seconds that upstream DNS servers take. */
export const DNS_SECONDS: readonly number[] = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
];

/** Bytes of an MCP message: 4^0 to 4^15. */
export const MESSAGE_BYTES: readonly number[] = Array.from({ length: 16 }, (_, exponent) => 4 ** exponent);

/** Milliseconds of the analysis pipeline: 0, then 1 to 8388608 in powers of two. */
export const POWERS_OF_TWO_MS: readonly number[] = [0, ...Array.from({ length: 24 }, (_, exponent) => 2 ** exponent)];

/** Events of one snapshot: 0, then 1 to 256 in powers of two. */
export const SNAPSHOT_EVENTS: readonly number[] = [0, ...Array.from({ length: 9 }, (_, exponent) => 2 ** exponent)];

/** Handlers or instances of one request. */
export const PER_REQUEST: readonly number[] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 15, 20];

/** Seconds of one adapter dispatch. */
export const DISPATCH_SECONDS: readonly number[] = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];
