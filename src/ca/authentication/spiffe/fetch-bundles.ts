import type { X509Certificate } from 'node:crypto';
import type { FetchDocument } from '../../../net/egress/guarded-fetch.js';
import type { Clock } from '../../../telemetry/clock.js';
import type { Logger } from '../../../telemetry/logger.js';
import { SpiffeBundleError } from './bundle-error.js';
import { parseSpiffeBundle } from './parse-bundle.js';

export interface FetchBundlesOptions {
  readonly fetchDocument: FetchDocument;
  readonly clock: Clock;
  /** Scope `spiffe`. */
  readonly logger: Logger;
}

/** Waits between attempts (BEHAVIOUR 4): they double, up to so much for all attempts together. */
const FIRST_WAIT_MS = 50;
const GIVE_UP_MS = 10_000;

/**
 * Gets the roots of each trust domain, all at once, each as often as time allows.
 *
 * @param endpoints of `parseBundleEndpoints`
 * @throws SpiffeBundleError when one cannot be had, or is not a bundle
 */
export async function fetchSpiffeBundles(
  endpoints: ReadonlyMap<string, string>,
  options: FetchBundlesOptions,
): Promise<ReadonlyMap<string, readonly X509Certificate[]>> {
  const bundles = [...endpoints].map(
    async ([trustDomain, url]) => [trustDomain, await fetchBundle(trustDomain, url, options)] as const,
  );
  return new Map(await Promise.all(bundles));
}

async function fetchBundle(
  trustDomain: string,
  url: string,
  { fetchDocument, clock, logger }: FetchBundlesOptions,
): Promise<readonly X509Certificate[]> {
  const giveUpAtMs = clock.monotonicMs() + GIVE_UP_MS;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs *= 2) {
    try {
      const roots = parseSpiffeBundle(await fetchDocument(url));
      logger.info({ trustDomain, roots: roots.length }, 'Fetched the roots of another trust domain');
      return roots;
    } catch (cause) {
      if (clock.monotonicMs() + waitMs > giveUpAtMs) {
        const reason = cause instanceof Error ? cause.message : String(cause);
        throw new SpiffeBundleError(`the roots of trust domain ${trustDomain} cannot be had: ${reason}`, { cause });
      }
      logger.debug({ trustDomain, err: cause, waitMs }, 'The roots of another trust domain cannot be had yet');
    }
    await new Promise<void>((resolve) => clock.schedule(waitMs, resolve));
  }
}
