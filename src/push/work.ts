import type { Steps } from '../base/steps.js';

/**
 * A computation that pauses every few hundred microseconds, so that one request does not block the event loop. A
 * WorkRunner runs it in slices, `inOneStep` to its end at once.
 */
export type Work<T> = Steps<T>;
