import { createBackoff } from '../../base/backoff.js';
import type { Clock } from '../../base/clock.js';
import { ApiError } from '../../kubernetes/client/api-error.js';
import type { SendRequest } from '../../kubernetes/client/api-sender.js';
import { pause } from '../../kubernetes/watch/pause.js';

export interface ReachOptions {
  readonly send: SendRequest;
  readonly clock: Clock;
  /** From 0 up to, not including, 1: for jitter. */
  readonly random: () => number;
  /** @param failures number of failed attempts so far, this one included */
  readonly onFailure: (err: unknown, failures: number) => void;
}

/** Number of quick retries; later ones come more seldom (docs/reference/sources.md#several-clusters). */
export const QUICK_RETRIES = 5;

const QUICK_WAITS = { initialMs: 250, maxMs: 4_000 } as const;
/** Pause between later attempts. */
export const SLOW_WAITS = { initialMs: 5_000, maxMs: 60_000 } as const;

/** Settles when the API server has accepted the credentials, or when the signal is aborted. Never rejects. */
export async function reachCluster(options: ReachOptions, signal: AbortSignal): Promise<void> {
  const { send, clock, random, onFailure } = options;
  const quick = createBackoff({ ...QUICK_WAITS, random });
  const slow = createBackoff({ ...SLOW_WAITS, random });
  for (let failures = 1; !signal.aborted; failures++) {
    try {
      await probe(send);
      return;
    } catch (err) {
      if (signal.aborted) return;
      onFailure(err, failures);
      await pause(clock, (failures <= QUICK_RETRIES ? quick : slow).nextMs(), signal);
    }
  }
}

/** Every authenticated caller may read the version. If RBAC forbids it, the cluster has been reached all the same. */
async function probe(send: SendRequest): Promise<void> {
  const { status, body } = await send({ method: 'GET', path: '/version' });
  if (status !== 401 && status !== 429 && status < 500) return;
  const { message } = new ApiError(status, body);
  throw new ApiError(status, { message: shortened(message) });
}

/** Limits the length of a remote API server's text in logs and pages. */
const MAX_LENGTH = 300;

export function shortened(text: string): string {
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH)}…`;
}
