import type { X509Certificate } from 'node:crypto';
import type { Clock } from '../../../base/clock.js';
import { errorText } from '../../../base/error-text.js';
import type { FetchDocument } from '../../../net/egress/guarded-fetch.js';
import type { Logger } from '../../../telemetry/logger.js';
import { parseSpiffeBundle, type SpiffeBundle } from './parse-bundle.js';
import { SpiffeBundleError } from './parse-bundle-endpoints.js';

export interface SpiffeBundlesOptions {
  /** URLs by trust domain (`parseBundleEndpoints`). */
  readonly endpoints: ReadonlyMap<string, string>;
  readonly fetchDocument: FetchDocument;
  readonly clock: Clock;
  /** Scope `spiffe`. */
  readonly logger: Logger;
}

/** The roots of other trust domains, kept current until `stop`. */
export interface SpiffeBundles {
  /** Fetches all bundles. @throws SpiffeBundleError for a bundle that is invalid or not fetched within ten seconds */
  start(): Promise<void>;
  /** Roots by trust domain. */
  roots(): ReadonlyMap<string, readonly X509Certificate[]>;
  /** Called after roots have changed. @returns a function that removes the listener. */
  onChange(listener: () => void): () => void;
  stop(): void;
}

/**
 * At the start the wait between attempts begins at this value and doubles, and all attempts together take at most ten
 * seconds (docs/reference/certificate-authority.md#bundle-endpoints).
 */
const FIRST_WAIT_MS = 50;
const GIVE_UP_MS = 10_000;
/** The refresh interval of a bundle without a hint, and the bounds of a hint. */
const REFRESH_MS = 5 * 60_000;
const MIN_REFRESH_MS = 60_000;
const MAX_REFRESH_MS = 60 * 60_000;

export function createSpiffeBundles({ endpoints, fetchDocument, clock, logger }: SpiffeBundlesOptions): SpiffeBundles {
  const listeners = new Set<() => void>();
  const refreshes = new Map<string, () => void>();
  let roots: ReadonlyMap<string, readonly X509Certificate[]> = new Map();
  let isStopped = false;

  const take = (trustDomain: string, bundle: SpiffeBundle): void => {
    if (isStopped) return;
    scheduleRefresh(trustDomain, bundle.refreshMs);
    if (haveSame(roots.get(trustDomain), bundle.roots)) return;
    roots = new Map([...roots, [trustDomain, bundle.roots]]);
    logger.info({ trustDomain, roots: bundle.roots.length }, 'trust domain roots fetched');
    for (const listener of [...listeners]) listener();
  };
  const scheduleRefresh = (trustDomain: string, afterMs = REFRESH_MS): void => {
    const delayMs = Math.min(Math.max(afterMs, MIN_REFRESH_MS), MAX_REFRESH_MS);
    refreshes.set(
      trustDomain,
      clock.schedule(delayMs, () => void refresh(trustDomain)),
    );
  };
  const fetchBundle = async (trustDomain: string): Promise<SpiffeBundle> =>
    parseSpiffeBundle(await fetchDocument(endpoints.get(trustDomain) ?? ''));

  const refresh = async (trustDomain: string): Promise<void> => {
    try {
      take(trustDomain, await fetchBundle(trustDomain));
    } catch (err) {
      if (isStopped) return;
      logger.warn({ trustDomain, err }, 'trust domain roots refresh failed');
      scheduleRefresh(trustDomain);
    }
  };
  const fetchFirst = async (trustDomain: string): Promise<void> => {
    const giveUpAtMs = clock.monotonicMs() + GIVE_UP_MS;
    for (let waitMs = FIRST_WAIT_MS; !isStopped; waitMs *= 2) {
      try {
        take(trustDomain, await fetchBundle(trustDomain));
        return;
      } catch (cause) {
        if (clock.monotonicMs() + waitMs > giveUpAtMs) {
          const reason = errorText(cause);
          throw new SpiffeBundleError(`the roots of trust domain ${trustDomain} could not be fetched: ${reason}`, {
            cause,
          });
        }
        logger.debug({ trustDomain, err: cause, waitMs }, 'trust domain roots fetch failed, retrying');
      }
      await new Promise<void>((resolve) => clock.schedule(waitMs, resolve));
    }
  };

  const stop = (): void => {
    isStopped = true;
    for (const cancel of refreshes.values()) cancel();
  };
  return {
    start: async () => {
      try {
        await Promise.all([...endpoints.keys()].map(fetchFirst));
      } catch (error) {
        stop();
        throw error;
      }
    },
    roots: () => roots,
    onChange: (listener) => {
      const own = (): void => listener();
      listeners.add(own);
      return () => listeners.delete(own);
    },
    stop,
  };
}

function haveSame(before: readonly X509Certificate[] | undefined, after: readonly X509Certificate[]): boolean {
  return (
    before?.length === after.length && after.every((root, index) => root.raw.equals(before[index]?.raw ?? NOTHING))
  );
}

const NOTHING = Buffer.alloc(0);
