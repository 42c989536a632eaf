import type { Clock } from '../../base/clock.js';
import { refusalText, type SendRequest } from '../../kubernetes/client/api-sender.js';
import type { Logger } from '../../telemetry/logger.js';
import type { ReportShelf } from '../distribution/report-shelf.js';

export interface ReportCleanerOptions {
  readonly namespace: string;
  readonly shelf: Pick<ReportShelf, 'stale'>;
  readonly send: SendRequest;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Removes what instances that were killed have left behind. */
export interface ReportCleaner {
  /** Removes the stale reports that there are now. One that lives after all writes its own again. */
  clean(): Promise<void>;
}

const RETRY_MS = 60_000;

export function createReportCleaner({ namespace, shelf, send, clock, logger }: ReportCleanerOptions): ReportCleaner {
  /** When each was tried last. */
  const tried = new Map<string, number>();

  const remove = async (name: string): Promise<void> => {
    tried.set(name, clock.monotonicMs());
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/configmaps/${encodeURIComponent(name)}`;
    const configMap = `${namespace}/${name}`;
    try {
      const answer = await send({ method: 'DELETE', path });
      if (answer.status >= 300 && answer.status !== 404) throw new Error(refusalText(answer));
      logger.info({ configMap }, 'The stale distribution report of an instance that is gone was removed');
    } catch (err) {
      logger.warn({ configMap, err }, 'A stale distribution report could not be removed; it does not count');
    }
  };

  return {
    clean: async () => {
      const nowMs = clock.monotonicMs();
      const stale = shelf.stale(nowMs);
      for (const name of tried.keys()) if (!stale.includes(name)) tried.delete(name);
      await Promise.all(stale.filter((name) => nowMs - (tried.get(name) ?? -RETRY_MS) >= RETRY_MS).map(remove));
    },
  };
}
