import type { PushContext } from '../model/push-context.js';
import type { Logger } from '../telemetry/logger.js';

/** Counts since the start. */
interface CacheCounts {
  readonly generated: number;
  readonly composed: number;
  readonly reused: number;
}

/**
 * Logs at `debug`, when a snapshot replaces another, what the caches did for the proxies of the replaced one: parts
 * generated, responses composed, and responses that another stream had composed already.
 *
 * @param read counts since the start
 */
export function createCacheLog(logger: Logger, read: () => CacheCounts): { observe(context: PushContext): void } {
  let version: string | undefined;
  let before: CacheCounts = { generated: 0, composed: 0, reused: 0 };
  return {
    observe: (context) => {
      if (version !== undefined) {
        const now = read();
        const counts = {
          generated: now.generated - before.generated,
          composed: now.composed - before.composed,
          reused: now.reused - before.reused,
        };
        before = now;
        if (logger.isDebugEnabled()) logger.debug({ version, ...counts }, 'caches served a snapshot');
      }
      version = context.version;
    },
  };
}
