import type { FuzzTarget } from './fuzz-target.js';

/** A case may take this long, ms; a slow one is tried again, for the machine may have been busy. */
const MAX_CASE_MS = 1000;
const ATTEMPTS = 3;

/**
 * Gives one case to its parser.
 *
 * @throws Error when the parser throws anything but its own refusal, or takes too long each time
 */
export async function attempt(target: FuzzTarget, input: unknown): Promise<void> {
  let fastestMs = Number.POSITIVE_INFINITY;
  for (let count = 0; count < ATTEMPTS; count++) {
    const startMs = performance.now();
    try {
      await target.run(input as never);
    } catch (error) {
      if (!(error instanceof Error && target.isRefusal(error))) throw error;
    }
    fastestMs = Math.min(fastestMs, performance.now() - startMs);
    if (fastestMs < MAX_CASE_MS) return;
  }
  throw new Error(`the parser took ${Math.round(fastestMs)} ms at best, more than ${MAX_CASE_MS}`);
}
